import { BatchLoader } from '@palanquin/service/batch-loader'
import type { ErasureTokenOf } from '@palanquin/service/erasure-token'
import { type ApiError, StoreUnavailable } from '@palanquin/service/http/api-error'
import type { Redis } from '@palanquin/service/redis'
import type { AccessCheck } from '../../access/access-check.ts'
import { appendSyncs, SYNCS_PER_SCRIPT_MAX, type Sync, type SyncAppended } from '../../buffer/append-sync.ts'
import type { PackedSync } from '../../buffer/pack-sync.ts'
import { receiptBehind } from '../../journal/group-commit.ts'
import type { Journal } from '../../journal/journal.ts'

export type SyncStores = {
  redis: Redis
  journal: Pick<Journal, 'appendAll' | 'taken' | 'replayLater'>
  accessCheck: Pick<AccessCheck, 'confirmClosed'>
  tokenOf: ErasureTokenOf
}

/** Whose points, from where, and when they arrived. */
export type Head = Pick<Sync, 'userId' | 'source' | 'receivedAt'>
export type PackedPoints = { head: Head; points: PackedSync }
type Attempt = PackedPoints & Pick<Sync, 'windowMs'>
/** Taken, or void; not now; or some were sent before, by their position. */
export type Tried = 'taken' | 'again' | ReadonlySet<number> | ApiError

/** One try to bring packed points into the buffer, and the journal's copy of them. */
export function syncAttempts({ redis, journal, accessCheck, tokenOf }: SyncStores) {
  /** On a cluster each shard has a node of its own. */
  const sizeMax = redis.isCluster ? 1 : SYNCS_PER_SCRIPT_MAX

  const attemptAll = async (syncs: readonly Attempt[]): Promise<readonly SyncAppended[]> => {
    const outcomes = await appendSyncs(
      redis,
      syncs.map(({ head, points, windowMs }) => {
        const { userId, source, receivedAt } = head
        return { userId, token: tokenOf(userId), source, receivedAt, points, windowMs }
      }),
    )
    const lines = syncs
      .filter((_, at) => outcomes[at] === 'appended')
      .map(({ head, points }) => lineOf(head, points))
    const first = lines.length === 0 ? null : await journal.appendAll(lines)
    if (first) for (const at of lines.keys()) journal.taken(receiptBehind(first, at))
    return outcomes
  }
  /** Those of one event-loop tick travel together. */
  const attempts = new BatchLoader<Attempt, SyncAppended>({ loadAll: attemptAll, sizeMax })
  /** What the outcome of a script means now. */
  const meaningOf = async (outcome: SyncAppended, { userId }: Head): Promise<Tried> => {
    if (outcome === 'closed') return (await accessCheck.confirmClosed(userId)) ?? 'again'
    return typeof outcome === 'string' ? 'taken' : outcome.duplicates
  }

  return {
    /** How many `attemptAll` takes. */
    sizeMax,
    meaningOf,
    /**
     * By one script and with one write of the journal, which has a copy until PostgreSQL has the points, in case Redis comes
     * back empty. A full disk has none. @throws StoreUnavailable
     */
    attemptAll,
    /** The same of one. */
    attempt: async (sync: Attempt): Promise<Tried> => meaningOf(await attempts.load(sync), sync.head),
    /** Has the journal alone take them; it replays them. @throws StoreUnavailable when it is full */
    writeJournal: async (syncs: readonly PackedPoints[]): Promise<void> => {
      const first = await journal.appendAll(syncs.map(({ head, points }) => lineOf(head, points)))
      if (!first) throw new StoreUnavailable('journal')
      for (const at of syncs.keys()) journal.replayLater(receiptBehind(first, at))
    },
  }
}

/** As the journal keeps a sync (`AcceptedSync`). */
const lineOf = ({ userId, source, receivedAt }: Head, { packed, count }: PackedSync): string =>
  `{"userId":${JSON.stringify(userId)},"source":${JSON.stringify(source)},"receivedAt":${receivedAt},"count":${count},"packed":${JSON.stringify(packed)}}`
