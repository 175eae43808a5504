import { S3Client, S3ServiceException } from '@aws-sdk/client-s3'
import { withDeadline } from '@palanquin/service/deadline'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import type { ObjectsConfig } from './config.ts'

/** For a few megabytes; leaves time within the gateway's ten seconds for the work before and after. */
const CALL_DEADLINE_MS = 4_000
/** A connection that the store closed while it was idle fails its next call; every call is idempotent. */
const ATTEMPTS_MAX = 2

/** The aws-sdk's client: Bun's own drops cache headers and metadata. Connects lazily. */
export const s3Client = (config: ObjectsConfig): S3Client =>
  new S3Client({
    endpoint: config.S3_ENDPOINT,
    region: config.S3_REGION,
    // The bucket in the path: a host name per bucket needs DNS that small installations do not have.
    forcePathStyle: true,
    credentials: { accessKeyId: config.S3_ACCESS_KEY_ID, secretAccessKey: config.S3_SECRET_ACCESS_KEY },
    maxAttempts: ATTEMPTS_MAX,
    // Not every store supports the checksums that newer SDKs add by default.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  })

type S3Call<T> = (signal: AbortSignal) => Promise<T>

/** Runs a call, bodies included, under the deadline; a late one is aborted. @throws StoreUnavailable */
export async function inTime<T>(call: S3Call<T>, deadlineMs = CALL_DEADLINE_MS): Promise<T> {
  const abort = new AbortController()
  try {
    return await withDeadline(call(abort.signal), { what: 'S3', deadlineMs })
  } catch (error) {
    abort.abort()
    throw isMissing(error) ? error : new StoreUnavailable('object store', error)
  }
}

/** The same; null where the object does not exist. */
export async function orNull<T>(call: S3Call<T>, deadlineMs?: number): Promise<T | null> {
  try {
    return await inTime(call, deadlineMs)
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

/** The object does not exist. A missing bucket counts as an unavailable store. */
const isMissing = (error: unknown): boolean =>
  error instanceof S3ServiceException && error.name === 'NoSuchKey'
