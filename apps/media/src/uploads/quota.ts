import { createHmac } from 'node:crypto'
import { withDeadline } from '@palanquin/service/deadline'
import { ApiError } from '@palanquin/service/http/api-error'
import { countedAs } from '@palanquin/service/http/client-address'
import type { Log } from '@palanquin/service/log'
import type { Redis } from '@palanquin/service/redis'
import { OwnQuota } from './local-quota.ts'

/**
 * Whole villages of phones share one address at a carrier, and all of them may want to show the same fault: this stops
 * a machine that fills the disk, not a crowd. The gateway's own limits count before.
 */
export const UPLOADS_PER_HOUR = 1_000
export const BYTES_PER_DAY = 1_000_000_000
/**
 * Of processor time, refused pictures too: 20 megapixels that break off near their end cost 1.2 s and leave nothing behind.
 * A thousand screenshots of phones are decoded in this.
 */
export const DECODING_MS_PER_HOUR = 300_000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const REDIS_DEADLINE_MS = 250
/** Of the hash of an address: enough that no two meet. */
const HASH_CHARACTERS = 22

/** KEYS: uploads, bytes, decoding. ARGV: their limits, the hour. Counts an upload and answers 0, or how long there is no room. */
const TAKE = `
for i = 1, 3 do
  if tonumber(redis.call('GET', KEYS[i]) or 0) >= tonumber(ARGV[i]) then
    return math.max(1, redis.call('PTTL', KEYS[i]))
  end
end
if redis.call('INCR', KEYS[1]) == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[4]) end
return 0`

/** KEYS[1] grows by ARGV[1]; a window begins with its first addition. Nothing is taken from one that has ended. */
const ADD = `
local there = redis.call('EXISTS', KEYS[1])
if there == 0 and tonumber(ARGV[1]) <= 0 then return end
redis.call('INCRBY', KEYS[1], ARGV[1])
if there == 0 then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end`

export type Taken = {
  /** It was not stored: it does not count. */
  giveBack: () => Promise<void>
  /** It was, with so many bytes. */
  stored: (bytes: number) => Promise<void>
  /** It took so long to decode, whether it was stored or not. */
  decoded: (processorMs: number) => Promise<void>
}

export type Quota = { take: (client: string) => Promise<Taken | ApiError> }

type Options = {
  redis: Redis
  log: Log
  /** Keys the hash that stands for an address, so that none can be read out of Redis. */
  secret: string
  uploadsPerHour?: number
  bytesPerDay?: number
  decodingMsPerHour?: number
}

/** How much each client address may store, and have decoded. Without Redis each process counts for itself; nobody is refused for that. */
export function uploadQuota({
  redis,
  log,
  secret,
  uploadsPerHour = UPLOADS_PER_HOUR,
  bytesPerDay = BYTES_PER_DAY,
  decodingMsPerHour = DECODING_MS_PER_HOUR,
}: Options): Quota {
  const own = new OwnQuota()
  const run = async (script: string, keys: string[], args: (number | string)[]): Promise<unknown> => {
    try {
      return await withDeadline(redis.eval(script, { keys, arguments: args.map(String) }), {
        what: 'Redis',
        deadlineMs: REDIS_DEADLINE_MS,
      })
    } catch (error) {
      log.debug({ reason: String(error) }, 'uploads are counted in this process')
      return undefined
    }
  }
  const add = async (key: string, amount: number, windowMs: number): Promise<void> => {
    if ((await run(ADD, [key], [amount, windowMs])) === undefined)
      own.add(key, { amount, windowMs, nowMs: performance.now() })
  }
  const takeOwn = (uploads: string, bytes: string, decoding: string): number => {
    const nowMs = performance.now()
    const fullMs =
      own.fullForMs(uploads, uploadsPerHour, nowMs) ||
      own.fullForMs(bytes, bytesPerDay, nowMs) ||
      own.fullForMs(decoding, decodingMsPerHour, nowMs)
    if (fullMs === 0) own.add(uploads, { amount: 1, windowMs: HOUR_MS, nowMs })
    return fullMs
  }

  return {
    take: async (client) => {
      const hash = createHmac('sha256', secret).update(countedAs(client)).digest('base64url')
      const keyOf = (of: 'n' | 'bytes' | 'ms') => `up:{${hash.slice(0, HASH_CHARACTERS)}}:${of}`
      const [uploads, bytes, decoding] = [keyOf('n'), keyOf('bytes'), keyOf('ms')]
      const limits = [uploadsPerHour, bytesPerDay, decodingMsPerHour]
      const answer = await run(TAKE, [uploads, bytes, decoding], [...limits, HOUR_MS])
      const fullMs = typeof answer === 'number' ? answer : takeOwn(uploads, bytes, decoding)
      if (fullMs > 0) return overQuota(fullMs)
      return {
        giveBack: () => add(uploads, -1, HOUR_MS),
        stored: (count) => add(bytes, count, DAY_MS),
        decoded: (processorMs) => add(decoding, Math.ceil(processorMs), HOUR_MS),
      }
    },
  }
}

function overQuota(fullMs: number): ApiError {
  const minutes = Math.ceil(fullMs / 60_000)
  return new ApiError(
    'tooMany',
    `Too many pictures came from this network. Please try again in ${minutes} minutes.`,
    { 'retry-after': String(Math.ceil(fullMs / 1_000)) },
  )
}
