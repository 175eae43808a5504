import type { Database } from '@palanquin/db/client'
import type { EventData } from '@palanquin/domain/events'
import { shardOf } from '@palanquin/domain/ids'
import { toIso } from '@palanquin/domain/time'
import type { FailPoint } from '@palanquin/service/fail-point'
import type { Redis } from '@palanquin/service/redis'
import { noteFlushed } from '../buffer/confirm.ts'
import { beginErasure, eraseBuffered } from '../buffer/erase.ts'
import { readShardState } from '../flush/shard-state.ts'
import { eraseRows } from './store.ts'
import type { ErasureTokenOf } from './token.ts'

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
  event: EventData<'participant.erased'>
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

/**
 * The verb behind `POST /internal/erase`: everything that tracking has of a participant. First the buffer is closed to what
 * was received until now (in a journal, or on its way to Redis), then it is cleared; then the rows are deleted and an
 * erasure token is kept, by which the flush drops stragglers. What arrives later is a new participant's. Each step is
 * idempotent.
 */
export const eraseParticipants =
  ({ db, redis, tokenOf, eraseFromJournal, failPoint, now }: ErasureOptions) =>
  /** @throws StoreUnavailable when a store is away; to be called again then */
  async (userId: string): Promise<Erasure> => {
    const shard = shardOf(userId)
    await readShardState(db, shard) // without the database nothing is started
    const token = tokenOf(userId)
    const { at, upTo } = await beginErasure(redis, { userId, token, at: now() })
    failPoint('erase:after-begin')
    const bufferedPoints = await eraseBuffered(redis, userId, { at, upTo })
    failPoint('erase:after-buffer')
    const { cursor, version, ...rows } = await eraseRows(db, { userId, token, at })
    failPoint('erase:after-rows')
    await noteFlushed(redis, { shard, cursor, version })
    const event = { shard, mark: token, at: toIso(at), upTo }
    await eraseFromJournal(event)
    return { erased: { ...rows, bufferedPoints }, event }
  }
