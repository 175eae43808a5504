import { shardOf, shardTag } from '@palanquin/domain/ids'

/** Every key of the buffer. The tag in braces keeps a shard's keys on one node of a Redis Cluster. */
export const pointsKey = (shard: number): string => `${shardTag(shard)}:points`
/** How many points wait in the shard's stream. */
export const countKey = (shard: number): string => `${shardTag(shard)}:count`
/** `<cursor>|<version>` of the shard after its last flush: caches see from it that they are stale. */
export const flushedKey = (shard: number): string => `${shardTag(shard)}:flushed`
/** The random epoch of the shard's data, from its creation to its loss. */
export const epochKey = (shard: number): string => `${shardTag(shard)}:life`
/** Exists while syncs are not accepted: their script checks it, so that none is added after the last flush. */
export const closedKey = (shard: number): string => `${shardTag(shard)}:gate`
/** What `pendingKey` begins with, for scripts that meet many participants of one shard. */
export const pendingPrefix = (shard: number): string => `${shardTag(shard)}:pending:`
/** A participant's check-ins that wait in the stream: `<entryId>|<recordedAt>` each. */
export const pendingKey = (userId: string): string => `${pendingPrefix(shardOf(userId))}${userId}`
/** Participants with points in the stream: they are registered before their first flush. */
export const waitingKey = (shard: number): string => `${shardTag(shard)}:waiting`
/** The participant's syncs of the last 60 s. */
export const recentKey = (userId: string): string => `${shardTag(shardOf(userId))}:recent:${userId}`

/** The erasure tokens of the shard, each with the time (epoch ms) up to which what was received is dropped. */
export const erasedKey = (shard: number): string => `${shardTag(shard)}:erased`
/** What the duplicate keys of a participant begin with. */
export const duplicatePrefix = (userId: string): string => `${shardTag(shardOf(userId))}:dup:${userId}:`

/** Exists for 60 s after a check-in at a place: contract section 3, the same place to 5 decimals (about a metre). */
export const duplicateKey = (userId: string, lat: number, lng: number): string =>
  `${duplicatePrefix(userId)}${fiveDecimals(lat)}:${fiveDecimals(lng)}`

/** toFixed(5) gives a negative zero too, which is the same place. */
const fiveDecimals = (degrees: number): string => {
  const text = degrees.toFixed(5)
  return text === '-0.00000' ? '0.00000' : text
}
