import { readFileSync } from 'node:fs'
import type { ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { countStored } from '../measure/count-stored.ts'
import { openDriver } from './drive.ts'
import { type CrowdResult, driveCrowd } from './drive-crowd.ts'
import { type Measured, measure } from './measure.ts'
import { CORES, participantsOn } from './peak.ts'
import { type Busy, servicesMb, watchProcessors } from './processors.ts'
import { departure } from './requests.ts'
import { timetable } from './timetable.ts'

/** As the service does by itself; here it is called, so that a run ends with everything stored. */
const FLUSH_EVERY_MS = 300_000
const LOOK_MS = 2_000
/** Before everything that is sent later, as points that come late are dearer. */
const FIRST_CHECKIN_MS = 2 * 3_600_000
const MINUTE_S = 60
/** The longest window of a participant's limit. */
const LIMIT_WINDOW_MS = 60_000

export type Plan = {
  /** Distinct people in the stores. */
  people: number
  /** As many of them for each size of a sync send the compressed minutes that costs are measured with. */
  sample: number
  /** Compressed minutes of these, and real minutes of the crowd. */
  minutes: number
  /** As how many people at their peak the crowd sends; left out. */
  crowd: number | undefined
  log: (line: string) => void
}
export type Crowd = CrowdResult & {
  participants: number
  busy: Busy
  /** Memory of all services together, in MB: the most that was seen, and with nobody in the stores. */
  servicesMb: number
  emptyServicesMb: number
  /** Distinct people in the stores. */
  people: number
  stored: number
}

/** Fills the stores with people, measures what each of their actions costs. */
export async function pilgrimage(
  stack: ThrowawayStack,
  { people, sample, minutes, crowd, log }: Plan,
): Promise<{ measured: Measured; driven: Crowd }> {
  const door = { base: stack.api.base, ca: readFileSync(stack.running().caFile, 'utf8') }
  const driver = await openDriver(door)
  try {
    const emptyServicesMb = servicesMb(stack)
    const recordedAt = Date.now() - FIRST_CHECKIN_MS
    const filled = await driver.drive(departure(people, { turn: 0, recordedAt }), 202)
    log(`${people.toLocaleString('en-US')} people checked in within ${seconds(filled.tookMs)}`)
    log(`and were stored within ${seconds((await stack.api.flush()).tookMs)}`)
    const processors = await watchProcessors(stack)
    const measured = await measure(stack, { processors, driver, participants: sample, minutes, log, turn: 1 })
    const participants = Math.min(people, crowd ?? participantsOn(measured.costs, CORES))
    await Bun.sleep(LIMIT_WINDOW_MS)
    log(`driving as ${participants.toLocaleString('en-US')} people at their peak, for ${minutes} minutes`)
    const duties = withFlushes(stack, log)
    let mostMb = servicesMb(stack)
    const looking = setInterval(() => {
      mostMb = Math.max(mostMb, servicesMb(stack))
    }, LOOK_MS)
    const { result, busy } = await processors
      .busyDuring(async () => {
        // They are always the same: each of them walks on from minute to minute.
        const active = { ...door, people: participants }
        const result = await driveCrowd(timetable(participants, minutes * MINUTE_S), active)
        await duties.end()
        return result
      })
      .finally(() => clearInterval(looking))
    const stored = await countStored(stack, people + measured.points + result.points)
    const memory = { servicesMb: mostMb, emptyServicesMb }
    return { measured, driven: { ...result, ...memory, participants, people, busy, stored } }
  } finally {
    driver.close()
  }
}

/** Flushes on schedule until `end`, which flushes the rest. */
function withFlushes(stack: ThrowawayStack, log: Plan['log']) {
  let flushing: Promise<void> = Promise.resolve()
  const flush = () => {
    flushing = flushing.then(async () => {
      const { flushed, tookMs } = await stack.api.flush({ gently: true })
      log(`flushed ${flushed.toLocaleString('en-US')} points in ${seconds(tookMs)}`)
    })
    flushing.catch(() => {}) // `end` rejects with it
  }
  const timer = setInterval(flush, FLUSH_EVERY_MS)
  return {
    end: (): Promise<void> => {
      clearInterval(timer)
      flush()
      return flushing
    },
  }
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`
