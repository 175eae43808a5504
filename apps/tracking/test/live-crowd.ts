import { shardOf } from '@palanquin/domain/ids'
import { boundedTurns } from '../src/bounded-queue.ts'
import { liveStreams } from '../src/live/event-streams/event-streams.ts'
import { changeLog } from '../src/live/positions/change-log.ts'
import type { EntryNumber } from '../src/live/positions/cursor.ts'
import { liveMap } from '../src/live/positions/live-map.ts'
import { liveAnswers } from '../src/live/responses/responses.ts'

const PUBLIC = { displayName: '阿明', consent: true, status: 'active', changedAt: 0 } as const

/** A map of a crowd on its way through Taiwan, in memory alone: no store, no port. */
export function liveCrowd(people: number) {
  let entries = 0
  const changes = changeLog({ asOf: () => 1 })
  const map = liveMap({
    pseudonymSecret: 'secret-of-the-crowd',
    stateOf: () => ({ isPublic: true, changedAt: 0 }),
    changes,
  })
  const participants = { get: () => PUBLIC }
  const view = { map, participants }
  const turns = boundedTurns({ atOnce: 2, waitingMax: 16, sentence: 'busy' })
  const move = (n: number): void => {
    const entry: EntryNumber = [++entries, 0]
    const userId = `walker-${n}`
    map.visibility(userId, {
      lat: 23.4 + ((n * 7 + entries) % 10_007) / 10_007,
      lng: 120.3 + ((n + entries) % 1_009) / 2_000,
      recordedAt: 1_770_000_000_000 + entries,
      accuracy: 8,
      entry,
    })
    map.advance(shardOf(userId), entry)
  }
  for (let n = 0; n < people; n++) move(n)
  changes.begin([])
  return {
    map,
    turns,
    answers: liveAnswers({ view, turns, now: () => performance.now() }),
    streams: liveStreams({ view, turns }),
    /** Some of them go on. */
    walkOn: (count: number): void => {
      for (let n = 0; n < count; n++) move((n * 61) % people)
    },
  }
}

/** What a piece of work takes of this process's processors, in ms. */
export async function processorMs(work: () => Promise<void> | void): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}
