import type { Database } from '@palanquin/db/client'
import type { EventData } from '@palanquin/domain/events'
import { shardOf } from '@palanquin/domain/ids'
import { toIso } from '@palanquin/domain/time'
import type { ErasureTokenOf } from '@palanquin/service/erasure-token'
import type { FailPoint } from '@palanquin/service/fail-point'
import type { Redis } from '@palanquin/service/redis'
import { noteFlushed } from '../buffer/confirm.ts'
import { beginErasure, endErasure, eraseBuffered } from '../buffer/erase.ts'
import { closeParticipant, eraseRows, openParticipant } from './store.ts'

/** How many of each this service had of the participant, and the event for the other processes. */
export type Erasure = {
  erased: {
    points: number
    bufferedPoints: number
    tracks: number
    hours: number
    setAside: number
    events: number
  }
  /** Of what was received before this call. */
  event: EventData<'participant.erased'>
  /** Until then (epoch ms) everything that is received is void, unless the erasure is ended. */
  closedUntil: number
}

export type ErasureOptions = {
  db: Database
  redis: Redis
  tokenOf: ErasureTokenOf
  /** Removes the participant from this process's journal. */
  eraseFromJournal: (erased: EventData<'participant.erased'>) => Promise<void>
  failPoint: FailPoint
  now: () => number
}

/** An erasure takes less than a minute; one that broke off does not keep the participant out for longer. */
const CLOSED_MS = 60_000
/** The last steps of an erasure. */
const END_MS = 100

/**
 * The verb behind `POST /internal/erase`: everything that tracking has of a participant. First a tombstone, in PostgreSQL and
 * in Redis, by which every writer drops what is received of them from now on until `end`; then the buffer, the rows and the
 * journal. Each step is idempotent.
 */
export function participantEraser({ db, redis, tokenOf, eraseFromJournal, failPoint, now }: ErasureOptions) {
  return {
    /** @throws StoreUnavailable when a store is away; to be called again then */
    erase: async (userId: string): Promise<Erasure> => {
      const shard = shardOf(userId)
      const token = tokenOf(userId)
      const begunAt = now()
      const closed = await closeParticipant(db, { userId, token, until: begunAt + CLOSED_MS })
      const { at: closedUntil, upTo } = await beginErasure(redis, { userId, token, at: closed })
      failPoint('erase:after-begin')
      const bufferedPoints = await eraseBuffered(redis, userId, { at: closedUntil, upTo })
      failPoint('erase:after-buffer')
      const { cursor, version, ...rows } = await eraseRows(db, userId)
      failPoint('erase:after-rows')
      await noteFlushed(redis, { shard, cursor, version })
      const event = { shard, mark: token, at: toIso(begunAt), upTo }
      await eraseFromJournal(event)
      return { erased: { ...rows, bufferedPoints }, event, closedUntil }
    },
    /** Ends it once every service has erased: from the event's `at` on, soon, what is received is a new participant's. */
    end: async (userId: string, closedUntil: number): Promise<EventData<'participant.erased'>> => {
      const shard = shardOf(userId)
      const token = tokenOf(userId)
      const at = now() + END_MS
      const { cursor, version } = await openParticipant(db, { userId, token, closedUntil, at })
      const upTo = await endErasure(redis, { userId, token, closedUntil, at })
      await noteFlushed(redis, { shard, cursor, version })
      return { shard, mark: token, at: toIso(at), upTo }
    },
  }
}
