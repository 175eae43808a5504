import type { Redis } from '@palanquin/service/redis'

/** Writes KEYS[1] only while it has the value ARGV[1] ('' means: does not exist). */
const COMPARE_AND_SET = `
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then return 0 end
if ARGV[3] == '0' then redis.call('SET', KEYS[1], ARGV[2])
else redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3]) end
return 1`

/** Compares and sets one key; a `ttlMs` of 0 never expires. Returns whether it was written. */
export async function compareAndSet(
  redis: Redis,
  key: string,
  { from, to, ttlMs = 0 }: { from: string | null; to: string; ttlMs?: number },
): Promise<boolean> {
  const written = await redis.eval(COMPARE_AND_SET, {
    keys: [key],
    arguments: [from ?? '', to, String(ttlMs)],
  })
  return written === 1
}
