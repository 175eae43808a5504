import { createHmac } from 'node:crypto'
import { withDeadline } from '@palanquin/service/deadline'
import { ApiError } from '@palanquin/service/http/api-error'
import { countedAs } from '@palanquin/service/http/client-address'
import type { Log } from '@palanquin/service/log'
import type { Redis } from '@palanquin/service/redis'
import { LocalQuota } from './local-quota.ts'

/**
 * Thousands of phones share one address at a carrier, and all of them may report the same fault: this stops a machine that
 * fills the disk, not a crowd. The gateway's own limits apply before.
 */
export const UPLOADS_PER_HOUR = 1_000
export const BYTES_PER_DAY = 1_000_000_000
/**
 * Processor time, of refused images too: 20 megapixels that break off near their end cost 1.2 s and store nothing. A
 * thousand screenshots of phones are decoded in this.
 */
export const DECODING_MS_PER_HOUR = 300_000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const REDIS_DEADLINE_MS = 250
/** Of the hash of an address: enough to be unique. */
const HASH_CHARACTERS = 22

/** KEYS: uploads, bytes, decoding. ARGV: their limits, the hour. Counts an upload and returns 0, or the wait in ms. */
const TAKE = `
for i = 1, 3 do
  if tonumber(redis.call('GET', KEYS[i]) or 0) >= tonumber(ARGV[i]) then
    return math.max(1, redis.call('PTTL', KEYS[i]))
  end
end
if redis.call('INCR', KEYS[1]) == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[4]) end
return 0`

/** KEYS[1] grows by ARGV[1]; a window begins with its first addition. A refund to an ended window does nothing. */
const ADD = `
local there = redis.call('EXISTS', KEYS[1])
if there == 0 and tonumber(ARGV[1]) <= 0 then return end
redis.call('INCRBY', KEYS[1], ARGV[1])
if there == 0 then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end`

export type Reservation = {
  /** It was not stored: it does not count. */
  refund: () => Promise<void>
  /** It was stored, with so many bytes. */
  stored: (bytes: number) => Promise<void>
  /** Its decoding took so long, whether it was stored or not. */
  decoded: (processorMs: number) => Promise<void>
}

export type Quota = { take: (client: string) => Promise<Reservation | ApiError> }

type Options = {
  redis: Redis
  log: Log
  /** Key of the hash of an address, so that no address can be read out of Redis. */
  secret: string
  uploadsPerHour?: number
  bytesPerDay?: number
  decodingMsPerHour?: number
}

/** How much each client address may store and have decoded. Without Redis each process counts for itself. */
export function uploadQuota({
  redis,
  log,
  secret,
  uploadsPerHour = UPLOADS_PER_HOUR,
  bytesPerDay = BYTES_PER_DAY,
  decodingMsPerHour = DECODING_MS_PER_HOUR,
}: Options): Quota {
  const local = new LocalQuota()
  const run = async (script: string, keys: string[], args: (number | string)[]): Promise<unknown> => {
    try {
      return await withDeadline(redis.eval(script, { keys, arguments: args.map(String) }), {
        what: 'Redis',
        deadlineMs: REDIS_DEADLINE_MS,
      })
    } catch (error) {
      log.debug(
        { event: 'upload_quota.degraded', reason: String(error) },
        'Uploads are counted in this process',
      )
      return undefined
    }
  }
  const add = async (key: string, amount: number, windowMs: number): Promise<void> => {
    if ((await run(ADD, [key], [amount, windowMs])) === undefined)
      local.add(key, { amount, windowMs, nowMs: performance.now() })
  }
  const takeLocally = (uploads: string, bytes: string, decoding: string): number => {
    const nowMs = performance.now()
    const waitMs =
      local.exhaustedForMs(uploads, uploadsPerHour, nowMs) ||
      local.exhaustedForMs(bytes, bytesPerDay, nowMs) ||
      local.exhaustedForMs(decoding, decodingMsPerHour, nowMs)
    if (waitMs === 0) local.add(uploads, { amount: 1, windowMs: HOUR_MS, nowMs })
    return waitMs
  }

  return {
    take: async (client) => {
      const hash = createHmac('sha256', secret).update(countedAs(client)).digest('base64url')
      const keyOf = (of: 'n' | 'bytes' | 'ms') => `up:{${hash.slice(0, HASH_CHARACTERS)}}:${of}`
      const [uploads, bytes, decoding] = [keyOf('n'), keyOf('bytes'), keyOf('ms')]
      const limits = [uploadsPerHour, bytesPerDay, decodingMsPerHour]
      const reply = await run(TAKE, [uploads, bytes, decoding], [...limits, HOUR_MS])
      const waitMs = typeof reply === 'number' ? reply : takeLocally(uploads, bytes, decoding)
      if (waitMs > 0) return overQuota(waitMs)
      return {
        refund: () => add(uploads, -1, HOUR_MS),
        stored: (count) => add(bytes, count, DAY_MS),
        decoded: (processorMs) => add(decoding, Math.ceil(processorMs), HOUR_MS),
      }
    },
  }
}

function overQuota(waitMs: number): ApiError {
  const minutes = Math.ceil(waitMs / 60_000)
  return new ApiError(
    'tooMany',
    `Too many pictures came from this network. Please try again in ${minutes} minutes.`,
    { 'retry-after': String(Math.ceil(waitMs / 1_000)) },
  )
}
