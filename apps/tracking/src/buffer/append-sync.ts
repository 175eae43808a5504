import { SHARD_COUNT, shardOf } from '@palanquin/domain/ids'
import { DUPLICATE_WINDOW_MS } from '@palanquin/domain/point'
import type { Redis } from '@palanquin/service/redis'
import { runScript } from '@palanquin/service/redis-script'
import { APPEND_SYNCS } from './append-sync-script.ts'
import { callRedis } from './call-redis.ts'
import { entryText } from './entry.ts'
import { divide, reunite } from './groups.ts'
import { closedKey, countKey, erasedKey, pointsKey, recentKey, waitingKey } from './keys.ts'
import type { PackedSync } from './pack-sync.ts'

/** The points of one sync, in their order, without repeats. `token` is the participant's erasure token. */
export type Sync = {
  userId: string
  token: string
  source: string
  receivedAt: number
  points: PackedSync
  /** How long it is remembered, and how far back others are looked through; left out, the contract's minute. */
  windowMs?: number | undefined
}

/**
 * Appended; or nothing done: the activity is closed, the sender was erased after it was received, or some were sent within
 * 60 s (their positions).
 */
export type SyncAppended = 'appended' | 'closed' | 'erased' | { duplicates: ReadonlySet<number> }

/** Redis runs one script at a time: so many take a millisecond or two. */
export const SYNCS_PER_SCRIPT_MAX = 32

/**
 * Puts the points of syncs into the buffer in one step, of each as one entry or none of them; on a cluster all are of one
 * shard. Resolves with the outcome of each.
 * @throws StoreUnavailable when Redis is away, late or full; the points may be in the buffer then, and a second try
 * finds them as duplicates
 */
export async function appendSyncs(redis: Redis, syncs: readonly Sync[]): Promise<SyncAppended[]> {
  const keys: string[] = []
  const args: string[] = []
  const groups = divide(syncs, groupOf)
  for (const { key, members } of groups) {
    const shard = key % SHARD_COUNT
    keys.push(closedKey(shard), pointsKey(shard), countKey(shard), waitingKey(shard), erasedKey(shard))
    args.push(String(members.length), String(Math.floor(key / SHARD_COUNT)))
    for (const { userId, token, source, receivedAt, points } of members) {
      const { packed, count, earliest, latest, outline } = points
      args.push(
        recentKey(userId),
        entryText({ userId, kind: 'track', source, receivedAt, count, packed }),
        `${earliest}|${latest}|${latest}|${outline}`,
        token,
      )
    }
  }
  const reply = await callRedis(runScript(redis, APPEND_SYNCS, { keys, args }))
  return reunite(groups, String(reply).split('\n')).map(outcomeOf)
}

/** One number for those of a shard that are remembered equally long: keys and arguments of these are shared. */
const groupOf = ({ userId, windowMs = DUPLICATE_WINDOW_MS }: Sync): number =>
  shardOf(userId) + windowMs * SHARD_COUNT

function outcomeOf(line = ''): SyncAppended {
  const [word, detail = ''] = line.split('|')
  if (word === 'appended' || word === 'closed' || word === 'erased') return word
  if (word === 'duplicates') return { duplicates: new Set(detail.split(',').map(Number)) }
  throw new TypeError('the sync script gave an unknown reply')
}
