/** User ids, request ids, and the shards of the buffer. */
import Type, { type Static } from 'typebox'

/** Contract section 1. A LINE id is `U` and 32 hex digits; other clients choose their own. */
const USER_ID_PATTERN = '^[A-Za-z0-9_-]{1,64}$'

/** Contract section 1: an incoming `X-Request-Id` of this form is kept, any other is replaced. */
export const REQUEST_ID_PATTERN = '^[A-Za-z0-9_-]{1,64}$'

export const UserId = Type.String({
  pattern: USER_ID_PATTERN,
  description: '1 to 64 letters, digits, _ or -',
  examples: ['U4af4980629c1f0b8d3e5a7c6b9d0e1f2'],
})
export type UserId = Static<typeof UserId>

const userIdRegex = new RegExp(USER_ID_PATTERN)

/** Whether an untrusted value is a valid `userId`. Ids are compared as they are, never trimmed. */
export function isUserId(value: unknown): value is string {
  return typeof value === 'string' && userIdRegex.test(value)
}

/** FROZEN with `shardOf`: what is buffered and PostgreSQL's cursors are found by it. */
export const SHARD_COUNT = 16

const FNV_OFFSET_BASIS = 0x811c9dc5
const FNV_PRIME = 0x01000193

/** The shard of a participant: FNV-1a (32 bits) of the id, modulo `SHARD_COUNT`. */
export function shardOf(userId: string): number {
  let hash = FNV_OFFSET_BASIS
  for (let i = 0; i < userId.length; i++) hash = Math.imul(hash ^ userId.charCodeAt(i), FNV_PRIME)
  return (hash >>> 0) % SHARD_COUNT
}

const shardTags: readonly string[] = Array.from(
  { length: SHARD_COUNT },
  (_, shard) => `{s${shard.toString().padStart(2, '0')}}`,
)

/** The Redis hash tag of a shard: all its keys are on one node of a Redis Cluster. */
export function shardTag(shard: number): string {
  const tag = shardTags[shard]
  if (tag === undefined) throw new RangeError(`shard ${shard} is not between 0 and ${SHARD_COUNT - 1}`)
  return tag
}
