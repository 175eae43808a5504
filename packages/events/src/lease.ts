import { randomUUID } from 'node:crypto'
import { withDeadline } from '@palanquin/service/deadline'
import type { Redis } from '@palanquin/service/redis'
import type { Lease } from './publish.ts'
import { REDIS_DEADLINE_MS } from './stream.ts'

const RELEASE_SCRIPT = `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
`

/** Takes the lease if it is free, under a token of its own; null when another has it. */
export async function takeLease(
  redis: Redis,
  { key, durationMs }: { key: string; durationMs: number },
): Promise<Lease | null> {
  const token = randomUUID()
  const answer = await withDeadline(
    redis.set(key, token, { condition: 'NX', expiration: { type: 'PX', value: durationMs } }),
    { what: 'Redis', deadlineMs: REDIS_DEADLINE_MS },
  )
  return answer === 'OK' ? { key, token, durationMs } : null
}

/** Gives the lease back, if it is still the caller's. */
export async function releaseLease(redis: Redis, { key, token }: Lease): Promise<void> {
  await withDeadline(redis.eval(RELEASE_SCRIPT, { keys: [key], arguments: [token] }), {
    what: 'Redis',
    deadlineMs: REDIS_DEADLINE_MS,
  })
}
