import type { Redis } from '@palanquin/service/redis'

/** KEYS[1] is written only while it still holds ARGV[1] ('' stands for: is not there). */
const COMPARE_AND_SET = `
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then return 0 end
if ARGV[3] == '0' then redis.call('SET', KEYS[1], ARGV[2])
else redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3]) end
return 1`

/**
 * Compare and swap of one key: whoever read a value before somebody else's write cannot put it back afterwards.
 * `ttlMs` 0 keeps the key for ever. Answers whether it was written.
 */
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
