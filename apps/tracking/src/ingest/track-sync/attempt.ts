import { BatchLoader } from '@palanquin/service/batch-loader'
import type { ApiError } from '@palanquin/service/http/api-error'
import type { Redis } from '@palanquin/service/redis'
import type { AccessCheck } from '../../access/access-check.ts'
import { appendSyncs, SYNCS_PER_SCRIPT_MAX, type Sync, type SyncAppended } from '../../buffer/append-sync.ts'
import type { PackedSync } from '../../buffer/pack-sync.ts'
import type { ErasureTokenOf } from '../../erasure/token.ts'
import type { Receipt } from '../../wal/group-commit.ts'
import type { Journal } from '../../wal/journal.ts'

export type SyncStores = {
  redis: Redis
  journal: Pick<Journal, 'append' | 'taken' | 'replayLater'>
  accessCheck: Pick<AccessCheck, 'confirmClosed'>
  tokenOf: ErasureTokenOf
}

/** Whose points, from where, and when they arrived. */
export type Head = Pick<Sync, 'userId' | 'source' | 'receivedAt'>
/** Taken; not now; or some were sent before, by their position. */
type Tried = 'taken' | 'again' | ReadonlySet<number> | ApiError

/** One try to bring packed points into the buffer, and the journal's copy of them. */
export function syncAttempts({ redis, journal, accessCheck, tokenOf }: SyncStores) {
  /** Those of one event-loop tick travel together. */
  const appends = new BatchLoader<Sync, SyncAppended>({
    loadAll: (syncs) => appendSyncs(redis, syncs),
    sizeMax: redis.isCluster ? 1 : SYNCS_PER_SCRIPT_MAX,
  })
  const writeJournal = (head: Head, { packed, count }: PackedSync): Promise<Receipt | null> =>
    journal.append(
      `${JSON.stringify(head).slice(0, -1)},"count":${count},"packed":${JSON.stringify(packed)}}`,
    )

  return {
    writeJournal,
    /**
     * The journal has a copy until PostgreSQL has the points, in case Redis comes back empty. A full disk has none.
     * @throws StoreUnavailable
     */
    attempt: async (head: Head, points: PackedSync, windowMs?: number): Promise<Tried> => {
      const { userId, source, receivedAt } = head
      const sync = { userId, token: tokenOf(userId), source, receivedAt, points, windowMs }
      const outcome = await appends.load(sync)
      if (outcome === 'closed') return (await accessCheck.confirmClosed(userId)) ?? 'again'
      if ('duplicates' in outcome) return outcome.duplicates
      const receipt = await writeJournal({ userId, source, receivedAt: outcome.receivedAt }, points)
      if (receipt) journal.taken(receipt)
      return 'taken'
    },
  }
}
