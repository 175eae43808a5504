import { shardOf } from '@palanquin/domain/ids'
import { type Participant, ParticipantColumns } from '../src/access/participant-columns.ts'
import { createBoundedQueue } from '../src/bounded-queue.ts'
import { createEventStreams } from '../src/live/event-streams/event-streams.ts'
import type { EntryNumber } from '../src/live/positions/cursor.ts'
import { createLiveMap } from '../src/live/positions/live-map.ts'
import { publicStateOf } from '../src/live/public-state.ts'
import { createMapResponses } from '../src/live/responses/responses.ts'

const PUBLIC: Participant = {
  displayName: '阿明',
  consent: true,
  publicVersion: 0,
  changedAt: 0,
  visibility: 'named',
  status: 'active',
}

/** A live map of a crowd that walks through Taiwan, in memory only. */
export function createLiveCrowd(participantCount: number) {
  let entries = 0
  const participants = new ParticipantColumns({ names: true })
  const map = createLiveMap({
    people: participants.people,
    pseudonymSecret: 'secret-of-the-crowd',
    stateOf: (userId) => publicStateOf(participants.get(userId), { isDevice: false }),
    asOf: () => 1,
  })
  const view = { map, participants }
  const builds = createBoundedQueue({ concurrency: 2, waitingMax: 16, busyMessage: 'busy' })
  const move = (n: number): void => {
    const entry: EntryNumber = [++entries, 0]
    const userId = `participant-${n}`
    map.update(userId, {
      lat: 23.4 + ((n * 7 + entries) % 10_007) / 10_007,
      lng: 120.3 + ((n + entries) % 1_009) / 2_000,
      recordedAt: 1_770_000_000_000 + entries,
      accuracy: 8,
      entry,
    })
    map.movements.advance(shardOf(userId), entry)
  }
  for (let n = 0; n < participantCount; n++) {
    participants.put(`participant-${n}`, PUBLIC)
    move(n)
  }
  map.changes.seed([])
  return {
    map,
    participants,
    builds,
    responses: createMapResponses({ view, builds }),
    streams: createEventStreams({ view, builds }),
    /** Some of them move. */
    walkOn: (count: number): void => {
      for (let n = 0; n < count; n++) move((n * 61) % participantCount)
    },
  }
}

/** Processor time of this process that the work took, in ms. */
export async function processorMs(work: () => Promise<void> | void): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}
