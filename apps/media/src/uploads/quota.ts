import { createHmac } from 'node:crypto'
import { ApiError } from '@palanquin/service/http/api-error'
import { countedAs } from '@palanquin/service/http/client-address'
import type { Log } from '@palanquin/service/log'
import type { Redis } from '@palanquin/service/redis'
import { quotaWindows, type Window } from './quota-windows.ts'

/** Thousands of phones share a carrier's address: this stops a machine that fills the disk, not a crowd. */
const UPLOADS_PER_HOUR = 1_000
const BYTES_PER_DAY = 1_000_000_000
/** Of refused images too: 20 megapixels that break off cost 1.2 s. A thousand screenshots fit in. */
const DECODING_MS_PER_HOUR = 300_000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Of the hash of an address: enough to be unique. */
const HASH_CHARACTERS = 22

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
  /** For tests: how long Redis may take. */
  deadlineMs?: number | undefined
}

/** How much an address may store and have decoded. Without Redis each process counts for itself. */
export function uploadQuota({
  redis,
  log,
  secret,
  uploadsPerHour = UPLOADS_PER_HOUR,
  bytesPerDay = BYTES_PER_DAY,
  decodingMsPerHour = DECODING_MS_PER_HOUR,
  deadlineMs,
}: Options): Quota {
  const windows = quotaWindows({ redis, log, deadlineMs })

  return {
    take: async (client) => {
      const hash = createHmac('sha256', secret).update(countedAs(client)).digest('base64url')
      const window = (of: 'n' | 'bytes' | 'ms', max: number, windowMs: number): Window => ({
        key: `up:{${hash.slice(0, HASH_CHARACTERS)}}:${of}`,
        max,
        windowMs,
      })
      const uploads = window('n', uploadsPerHour, HOUR_MS)
      const bytes = window('bytes', bytesPerDay, DAY_MS)
      const decoding = window('ms', decodingMsPerHour, HOUR_MS)
      const waitMs = await windows.take([uploads, bytes, decoding])
      if (waitMs > 0) return overQuota(waitMs)
      return {
        refund: () => windows.add(uploads, -1),
        stored: (count) => windows.add(bytes, count),
        decoded: (processorMs) => windows.add(decoding, Math.ceil(processorMs)),
      }
    },
  }
}

function overQuota(waitMs: number): ApiError {
  const minutes = Math.ceil(waitMs / 60_000)
  return new ApiError(
    'tooMany',
    `Too many files came from this network. Please try again in ${minutes} minutes.`,
    { 'retry-after': String(Math.ceil(waitMs / 1_000)) },
  )
}
