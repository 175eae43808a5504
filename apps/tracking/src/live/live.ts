import type { Database } from '@palanquin/db/client'
import type { Log } from '@palanquin/service/log'
import type { Redis } from '@palanquin/service/redis'
import type { Part } from '@palanquin/service/run'
import type { Participants } from '../gate/participants.ts'
import { liveAnswers } from './answers.ts'
import { liveMap } from './map.ts'
import { newcomersOf } from './newcomers.ts'
import { followStreams } from './reader.ts'
import { followStored } from './stored.ts'
import { liveStreams } from './stream.ts'

export type LiveOptions = {
  db: Database
  /** A client for this reader alone: it blocks. */
  blocking: Redis
  participants: Participants
  pseudonymSecret: string
  now: () => number
  log: Log
}

/** The live map of this process: what feeds it, what answers from it. */
export function openLive({ db, blocking, participants, pseudonymSecret, now, log }: LiveOptions) {
  const map = liveMap({ pseudonymSecret })
  const stored = followStored({ db, map, log })
  const reader = followStreams({ blocking, map, onGap: stored.refresh, log })
  const answers = liveAnswers({ map, participants, now })
  const streams = liveStreams({ map, answers })
  participants.onChange(map.touch)
  return {
    answers,
    streams,
    /** Levels and late positions after a flush of this process, before the next look. */
    refresh: stored.refresh,
    erase: map.erase,
    /** Where everybody was last. */
    places: map.all,
    /** Who sent points and is nobody's participant yet. */
    newcomers: newcomersOf({ map, participants }),
    /** Whether somebody is on the map. */
    has: (userId: string): boolean => map.get(userId) !== undefined,
    /** Whether everybody is on it. Before that an answer would be right in form and wrong in fact. */
    isWhole: (): boolean => stored.isLoaded() && participants.isKnown() && reader.hasCaughtUp(),
    parts: [stored, reader, streams] satisfies Part[],
  }
}
