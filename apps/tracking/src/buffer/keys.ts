import { shardOf, shardTag } from '@palanquin/domain/ids'

/** Every key of the buffer. The tag in braces keeps a shard's keys on one node of a Redis Cluster. */
export const pointsKey = (shard: number): string => `${shardTag(shard)}:points`
/** How many points wait in the shard's stream. */
export const countKey = (shard: number): string => `${shardTag(shard)}:count`
/** `<cursor>|<version>` of the shard after its last flush: caches see by it that they are stale. */
export const flushedKey = (shard: number): string => `${shardTag(shard)}:flushed`
/** A random name that the shard's data has from its beginning to its loss. */
export const epochKey = (shard: number): string => `${shardTag(shard)}:life`
/** There while tracks are not taken: the write itself looks at it, so that none slips in behind the last flush. */
export const closedKey = (shard: number): string => `${shardTag(shard)}:gate`
/** What `pendingKey` begins with, for scripts that meet many participants of one shard. */
export const pendingPrefix = (shard: number): string => `${shardTag(shard)}:pending:`
/** A participant's check-ins that wait in the stream: `<entryId>|<recordedAt>` each. */
export const pendingKey = (userId: string): string => `${pendingPrefix(shardOf(userId))}${userId}`
/** Participants of whom something waits in the stream: they are known before their first flush. */
export const waitingKey = (shard: number): string => `${shardTag(shard)}:waiting`
/** The participant's syncs of the last 60 s. */
export const recentKey = (userId: string): string => `${shardTag(shardOf(userId))}:recent:${userId}`

/** Who of the shard was erased (by mark), and until when what was received of them is dropped (epoch ms). */
export const erasedKey = (shard: number): string => `${shardTag(shard)}:erased`
/** What the duplicate keys of a participant begin with. */
export const duplicatePrefix = (userId: string): string => `${shardTag(shardOf(userId))}:dup:${userId}:`

/** Held for 60 s after a check-in at a place: contract section 3, the same place to 5 decimals (about a metre). */
export const duplicateKey = (userId: string, lat: number, lng: number): string =>
  `${duplicatePrefix(userId)}${fiveDecimals(lat)}:${fiveDecimals(lng)}`

/** toFixed(5) knows a negative zero, which is the same place. */
const fiveDecimals = (degrees: number): string => {
  const text = degrees.toFixed(5)
  return text === '-0.00000' ? '0.00000' : text
}
