import {
  BucketAlreadyExists,
  BucketAlreadyOwnedByYou,
  CreateBucketCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import { withDeadline } from '@palanquin/service/deadline'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import type { ObjectsConfig } from './config.ts'

/** Below the probe's own half second, so that no request outlives its probe. */
const PING_DEADLINE_MS = 450
/** For a few megabytes; leaves time within the gateway's ten seconds for the work before and after. */
const CALL_DEADLINE_MS = 4_000
/** A connection that the store closed while it was idle fails its next call; every call is idempotent. */
const ATTEMPTS_MAX = 2
/** Limit of one DeleteObjects (S3 API). */
const KEYS_PER_DELETE_MAX = 1_000
/** Far more than any image that is stored; a larger object is not one of this service. */
const GET_BYTES_MAX = 33_554_432

export type StoredObject = { bytes: Uint8Array<ArrayBuffer>; contentType: string; etag: string }
export type ListedObject = { key: string; bytes: number; modifiedAtMs: number }

/**
 * The object store, through the aws-sdk: Bun's own client drops cache headers and metadata. Connects lazily. Every
 * call has a deadline; all but `ping` and `makeBucket` throw StoreUnavailable when the store is away, late or refuses.
 */
export function connectObjects(config: ObjectsConfig) {
  const client = new S3Client({
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
  const Bucket = config.S3_BUCKET

  return {
    /** Resolves when the bucket can be reached with these keys; rejects with the reason when not. */
    ping: async (): Promise<void> => {
      await client.send(new HeadBucketCommand({ Bucket }), {
        abortSignal: AbortSignal.timeout(PING_DEADLINE_MS),
      })
    },
    /** Creates the bucket. Idempotent. */
    makeBucket: async (): Promise<void> => {
      try {
        await client.send(new CreateBucketCommand({ Bucket }))
      } catch (error) {
        if (!(error instanceof BucketAlreadyOwnedByYou || error instanceof BucketAlreadyExists)) throw error
      }
    },
    /** Stores or replaces an object. Bytes, not a stream: the SDK refuses streams over plain http. */
    put: async (
      key: string,
      bytes: Uint8Array,
      { contentType, cacheControl }: { contentType: string; cacheControl?: string },
    ): Promise<void> => {
      const command = new PutObjectCommand({
        Bucket,
        Key: key,
        Body: bytes,
        ContentType: contentType,
        ...(cacheControl === undefined ? {} : { CacheControl: cacheControl }),
      })
      await inTime((abortSignal) => client.send(command, { abortSignal }))
    },
    /** A whole object; null when there is none. */
    get: (key: string, { bytesMax = GET_BYTES_MAX } = {}): Promise<StoredObject | null> =>
      orNull(async (abortSignal) => {
        const { Body, ContentLength, ContentType, ETag } = await client.send(
          new GetObjectCommand({ Bucket, Key: key }),
          { abortSignal },
        )
        if (!Body || ContentLength === undefined || ContentLength > bytesMax)
          throw new Error(`an object of ${ContentLength} bytes, where ${bytesMax} are the most`)
        const bytes = new Uint8Array(await Body.transformToByteArray())
        return { bytes, contentType: ContentType ?? 'application/octet-stream', etag: ETag ?? '' }
      }),
    /** The size of an object; null when there is none. */
    head: (key: string): Promise<{ bytes: number; etag: string } | null> =>
      orNull(async (abortSignal) => {
        const found = await client.send(new HeadObjectCommand({ Bucket, Key: key }), { abortSignal })
        return { bytes: found.ContentLength ?? 0, etag: found.ETag ?? '' }
      }),
    /** Deletes objects. Idempotent. */
    remove: async (keys: readonly string[]): Promise<void> => {
      for (let at = 0; at < keys.length; at += KEYS_PER_DELETE_MAX) {
        const Objects = keys.slice(at, at + KEYS_PER_DELETE_MAX).map((Key) => ({ Key }))
        const command = new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } })
        const { Errors = [] } = await inTime((abortSignal) => client.send(command, { abortSignal }))
        const [first] = Errors
        if (first)
          throw new StoreUnavailable('object store', new Error(`${first.Code}: an object was not deleted`))
      }
    },
    /** All objects with the prefix in the order of their keys, page by page. */
    list: async function* (prefix: string): AsyncGenerator<ListedObject[]> {
      let after: string | undefined
      do {
        const command = new ListObjectsV2Command({
          Bucket,
          Prefix: prefix,
          ...(after === undefined ? {} : { ContinuationToken: after }),
        })
        const page = await inTime((abortSignal) => client.send(command, { abortSignal }))
        yield (page.Contents ?? []).flatMap(({ Key, Size, LastModified }) =>
          Key === undefined
            ? []
            : [{ key: Key, bytes: Size ?? 0, modifiedAtMs: LastModified?.getTime() ?? 0 }],
        )
        after = page.NextContinuationToken
      } while (after !== undefined)
    },
    close: () => client.destroy(),
  }
}

export type Objects = ReturnType<typeof connectObjects>

/** Runs a call, bodies included, under the deadline; a late one is aborted. */
async function inTime<T>(call: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const abort = new AbortController()
  try {
    return await withDeadline(call(abort.signal), { what: 'S3', deadlineMs: CALL_DEADLINE_MS })
  } catch (error) {
    abort.abort()
    throw isMissing(error) ? error : new StoreUnavailable('object store', error)
  }
}

async function orNull<T>(call: (signal: AbortSignal) => Promise<T>): Promise<T | null> {
  try {
    return await inTime(call)
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

/** The object does not exist. A missing bucket counts as an unavailable store. */
const isMissing = (error: unknown): boolean =>
  error instanceof S3ServiceException && (error.name === 'NoSuchKey' || error.name === 'NotFound')
