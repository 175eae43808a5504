import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { startThrowawayStack, type ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { type Benchmark, ROUNDS } from '../benchmark.ts'
import { PEAK, ratesOf, sum } from '../pilgrimage/peak.ts'
import { KINDS, type Kind, timetable } from '../pilgrimage/timetable.ts'
import { BENCH_SETTINGS } from '../settings.ts'

const PARTICIPANTS = 300_000
const DAY_S = 86_400
const BYTES_A_DAY_MAX = 1_000_000_000
/** Requests that are refused: signed out, too many, mistyped. */
const REFUSED_SHARE = 0.001
const SAMPLE = { participants: 3_000, seconds: 20, idleS: 60 }
const QUICK_SAMPLE = { participants: 300, seconds: 10, idleS: 1 }

/** What the requests of a crowd, and the schedules, write into the logs of all processes on a day. */
export const logs: Benchmark = {
  name: 'logs',
  question: `bytes of logs a day at ${PARTICIPANTS.toLocaleString('en-US')} people by the assumptions of bench pilgrimage, ${REFUSED_SHARE * 100} % of the requests refused, against 1 GB`,
  better: 'less',
  wanted: 1,
  run: async (log, { quick }) => {
    const sample = quick ? QUICK_SAMPLE : SAMPLE
    const stack = await startThrowawayStack(BENCH_SETTINGS)
    try {
      const idleBytes = await grownIn(stack, () => Bun.sleep(sample.idleS * 1_000))
      const ours: number[] = []
      const notes: string[] = []
      for (let round = 0; round < ROUNDS; round++) {
        let sent = 0
        const bytes = await grownIn(stack, async () => {
          sent = await send(stack, round, sample)
        })
        const ofRequests = (bytes / sent) * requestsOfADay()
        ours.push((ofRequests + (idleBytes / sample.idleS) * DAY_S) / 1e6)
        notes.push(`${(bytes / sent).toFixed(2)} bytes a request`)
        log(`${sent} requests wrote ${bytes} bytes`)
      }
      return { unit: 'MB a day', ours, yardstick: ours.map(() => BYTES_A_DAY_MAX / 1e6), notes }
    } finally {
      await stack.close()
    }
  },
}

function requestsOfADay(): number {
  const rates = ratesOf(PARTICIPANTS)
  const perS = sum(Object.fromEntries(KINDS.map((kind) => [kind, rates[kind]])))
  return perS * PEAK.walkingHoursPerDay * 3_600 * PEAK.meanOfPeak
}

async function grownIn({ home }: ThrowawayStack, work: () => Promise<unknown>): Promise<number> {
  const size = () =>
    readdirSync(home.logs).reduce((all, name) => all + statSync(join(home.logs, name)).size, 0)
  const before = size()
  await work()
  return size() - before
}

/** Sends what is due of a sample, some together. */
async function send(
  stack: ThrowawayStack,
  round: number,
  { participants, seconds }: typeof SAMPLE,
): Promise<number> {
  let sent = 0
  let together: Promise<unknown>[] = []
  for (const { kind, index } of timetable(participants, seconds)) {
    const isRefused = sent++ % Math.round(1 / REFUSED_SHARE) === 0
    together.push(isRefused ? stack.api.get('/nothing-here') : ask(stack, kind, `${round}-${index}`))
    if (together.length < 32) continue
    await Promise.all(together)
    together = []
  }
  await Promise.all(together)
  return sent
}

function ask({ api }: ThrowawayStack, kind: Kind, name: string): Promise<unknown> {
  const userId = `logs-${name}`
  const [lat, lng] = [24.1, 120.6]
  const points = [30_000, 0].map((agoMs) => ({ lat, lng, recordedAt: Date.now() - agoMs }))
  if (kind === 'sync') return api.post('/track/sync', { userId, source: 'android', points })
  if (kind === 'checkin') return api.post('/checkin', { userId, lat, lng })
  return kind === 'profile' ? api.get(`/user/${userId}`) : api.get('/data')
}
