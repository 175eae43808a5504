import { BatchLoader } from '@palanquin/service/batch-loader'
import type { ApiError } from '@palanquin/service/http/api-error'
import type { Redis } from '@palanquin/service/redis'
import type { AccessCheck } from '../../access/access-check.ts'
import { appendSyncs, SYNCS_PER_SCRIPT_MAX, type Sync, type SyncAppended } from '../../buffer/append-sync.ts'
import type { PackedSync } from '../../buffer/pack-sync.ts'
import type { ErasureTokenOf } from '../../erasure/token.ts'
import { type Receipt, receiptBehind } from '../../wal/group-commit.ts'
import type { Journal } from '../../wal/journal.ts'

export type SyncStores = {
  redis: Redis
  journal: Pick<Journal, 'append' | 'appendAll' | 'taken' | 'replayLater'>
  accessCheck: Pick<AccessCheck, 'confirmClosed'>
  tokenOf: ErasureTokenOf
}

/** Whose points, from where, and when they arrived. */
export type Head = Pick<Sync, 'userId' | 'source' | 'receivedAt'>
export type PackedPoints = { head: Head; points: PackedSync }
/** Taken; not now; or some were sent before, by their position. */
export type Tried = 'taken' | 'again' | ReadonlySet<number> | ApiError

/** One try to bring packed points into the buffer, and the journal's copy of them. */
export function syncAttempts({ redis, journal, accessCheck, tokenOf }: SyncStores) {
  /** On a cluster each shard has a node of its own. */
  const sizeMax = redis.isCluster ? 1 : SYNCS_PER_SCRIPT_MAX
  /** Those of one event-loop tick travel together. */
  const appends = new BatchLoader<Sync, SyncAppended>({
    loadAll: (syncs) => appendSyncs(redis, syncs),
    sizeMax,
  })
  const syncOf = ({ head, points }: PackedPoints, windowMs?: number): Sync => {
    const { userId, source, receivedAt } = head
    return { userId, token: tokenOf(userId), source, receivedAt, points, windowMs }
  }
  /** What the outcome of a script means now. */
  const meaningOf = async (outcome: SyncAppended, { userId }: Head): Promise<Tried> => {
    if (outcome === 'closed') return (await accessCheck.confirmClosed(userId)) ?? 'again'
    return 'duplicates' in outcome ? outcome.duplicates : 'taken'
  }

  return {
    /** How many `attemptAll` takes. */
    sizeMax,
    writeJournal: ({ head, points }: PackedPoints): Promise<Receipt | null> =>
      journal.append(lineOf(head, points)),
    meaningOf,
    /**
     * The journal has a copy until PostgreSQL has the points, in case Redis comes back empty. A full disk has none.
     * @throws StoreUnavailable
     */
    attempt: async (sync: PackedPoints, windowMs?: number): Promise<Tried> => {
      const outcome = await appends.load(syncOf(sync, windowMs))
      if (isAppended(outcome)) {
        const { head, points } = sync
        const receipt = await journal.append(lineOf({ ...head, receivedAt: outcome.receivedAt }, points))
        if (receipt) journal.taken(receipt)
      }
      return meaningOf(outcome, sync.head)
    },
    /** The same of several, by one script and with one write of the journal; `meaningOf` says more. @throws StoreUnavailable */
    attemptAll: async (syncs: readonly PackedPoints[]): Promise<readonly SyncAppended[]> => {
      const outcomes = await appendSyncs(
        redis,
        syncs.map((sync) => syncOf(sync)),
      )
      const lines: string[] = []
      for (const [at, { head, points }] of syncs.entries()) {
        const outcome = outcomes[at]
        if (outcome && isAppended(outcome))
          lines.push(lineOf({ ...head, receivedAt: outcome.receivedAt }, points))
      }
      const first = lines.length === 0 ? null : await journal.appendAll(lines)
      if (first) for (const at of lines.keys()) journal.taken(receiptBehind(first, at))
      return outcomes
    },
  }
}

const isAppended = (outcome: SyncAppended): outcome is { receivedAt: number } =>
  outcome !== 'closed' && 'receivedAt' in outcome

/** As the journal keeps a sync (`AcceptedSync`). */
const lineOf = ({ userId, source, receivedAt }: Head, { packed, count }: PackedSync): string =>
  `{"userId":${JSON.stringify(userId)},"source":${JSON.stringify(source)},"receivedAt":${receivedAt},"count":${count},"packed":${JSON.stringify(packed)}}`
