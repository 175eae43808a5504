import type { Database } from '@palanquin/db/client'
import { mayTrack } from '@palanquin/domain/participant'
import type { LevelKm } from '@palanquin/domain/rank'
import type { Log } from '@palanquin/service/log'
import { counter, type Metrics, readGauge } from '@palanquin/service/metrics'
import type { Redis } from '@palanquin/service/redis'
import type { Part } from '@palanquin/service/run'
import type { Participants } from '../access/participants.ts'
import { boundedTurns } from '../bounded-queue.ts'
import { liveStreams } from './event-streams/event-streams.ts'
import { changeLog } from './positions/change-log.ts'
import { liveMap } from './positions/live-map.ts'
import { liveAnswers } from './responses/responses.ts'
import { statesOf } from './responses/selection.ts'
import { followStreams } from './sources/point-streams.ts'
import { followStored } from './sources/stored-tracks.ts'
import { newcomersOf } from './unregistered.ts'

/** Maps that are built at once, and that wait for it: each is some milliseconds to a tenth of a second. */
const MAPS_AT_ONCE = 2
const MAPS_WAITING_MAX = 16

export type LiveOptions = {
  db: Database
  /** A client for this reader alone: it blocks. */
  blocking: Redis
  participants: Participants
  pseudonymSecret: string
  /** Which kilometres a level counts. */
  levelKm: LevelKm
  metrics: Metrics
  now: () => number
  log: Log
}

/** The live map of this process: what feeds it, what answers from it. */
export function openLive({
  db,
  blocking,
  participants,
  pseudonymSecret,
  levelKm,
  metrics,
  now,
  log,
}: LiveOptions) {
  const changes = changeLog({ asOf: participants.asOf })
  /** In public is who has given consent and has not withdrawn; who is not registered has given none. */
  const stateOf = (userId: string) => {
    const participant = participants.get(userId)
    const isPublic = participant?.consent === true && mayTrack(participant.status)
    return { isPublic, changedAt: participant?.changedAt }
  }
  const map = liveMap({ pseudonymSecret, stateOf, changes })
  const view = { map, participants }
  const stored = followStored({ db, map, levelKm, log })
  const reader = followStreams({ blocking, map, onGap: stored.refresh, log })
  const refused = counter(metrics, {
    name: 'palanquin_map_refused_total',
    help: 'maps that were not built because too many waited',
  })
  const turns = boundedTurns({
    atOnce: MAPS_AT_ONCE,
    waitingMax: MAPS_WAITING_MAX,
    sentence: 'Too many maps are being made right now; please try again in a moment.',
    refused: () => refused.inc(),
  })
  const answers = liveAnswers({ view, turns, now })
  const streams = liveStreams({ view, turns })
  participants.onChange(map.touch)
  readGauge(metrics, {
    name: 'palanquin_map_positions',
    help: 'participants whose position is known',
    read: () => map.count(true),
  })
  readGauge(metrics, {
    name: 'palanquin_map_streams',
    help: 'event streams that are open',
    read: streams.size,
  })

  /** Whether everybody is on the map. Before that an answer would be right in form and wrong in fact. */
  const isWhole = (): boolean => {
    const whole = stored.isLoaded() && participants.isKnown() && reader.hasCaughtUp()
    if (whole) changes.begin(statesOf(view))
    return whole
  }

  return {
    answers,
    streams,
    /** Levels and late positions after a flush, before the next look. */
    refresh: stored.refresh,
    erase: map.erase,
    /** Where everybody was last. */
    places: map.all,
    /** Who has withdrawn, of those whose position is known. */
    hasWithdrawn: (userId: string): boolean => participants.get(userId)?.status === 'withdrawn',
    /** Who sent points and is not registered as a participant yet. */
    unregistered: newcomersOf({ map, participants }),
    /** Whether somebody is on the map. */
    has: (userId: string): boolean => map.get(userId) !== undefined,
    isWhole,
    parts: [stored, reader, streams] satisfies Part[],
  }
}
