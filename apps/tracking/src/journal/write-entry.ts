import type { ErasureTokenOf } from '@palanquin/service/erasure-token'
import { ApiError } from '@palanquin/service/http/api-error'
import type { Log } from '@palanquin/service/log'
import type { Redis } from '@palanquin/service/redis'
import type { SeenIds } from '@palanquin/service/seen-ids'
import { type AcceptedCheckin, appendCheckin } from '../buffer/append-checkin.ts'
import { type AcceptedSync, replaySync } from '../buffer/replay-sync.ts'
import type { Replayed } from './replay.ts'

/** The same as for the write after a 202. */
const WRITE_DEADLINE_MS = 8_000

/** Writes journal entries to Redis, for the replay. A line has a checksum, so it is what this service wrote. */
export const entryWriter =
  ({
    redis,
    tokenOf,
    seen,
    log,
  }: {
    redis: Redis
    tokenOf: ErasureTokenOf
    /** Participants who are not new: their data was accepted. */
    seen: Pick<SeenIds, 'add'>
    log: Log
  }) =>
  async (json: string): Promise<Replayed> => {
    try {
      const line: AcceptedCheckin | AcceptedSync = JSON.parse(json)
      seen.add(line.userId)
      const options = { token: tokenOf(line.userId), deadlineMs: WRITE_DEADLINE_MS }
      if ('packed' in line || 'points' in line) await replaySync(redis, line, options)
      else await appendCheckin(redis, line, { ...options, mode: 'replay' })
      return 'taken'
    } catch (error) {
      if (error instanceof ApiError) return 'away'
      log.error(
        { event: 'journal.entry_refused', err: error },
        'Redis refused an entry of the journal; it stays there',
      )
      return 'refused'
    }
  }
