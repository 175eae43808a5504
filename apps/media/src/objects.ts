import {
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadBucketCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import type { ObjectsConfig } from './config.ts'
import { inTime, orNull, s3Client } from './s3-client.ts'

/** Below the probe's own half second, so that no request outlives its probe. */
const PING_DEADLINE_MS = 450
/** Limit of one DeleteObjects (S3 API). */
const KEYS_PER_DELETE_MAX = 1_000
/** Far more than any image that is stored; a larger object is not one of this service. */
const GET_BYTES_MAX = 33_554_432

type StoredObject = { bytes: Uint8Array<ArrayBuffer>; contentType: string }
type ListedObject = { key: string; bytes: number; modifiedAtMs: number }

/**
 * The object store. Connects lazily. Every call has a deadline; all but `ping` throw StoreUnavailable when the store is
 * away, late or refuses.
 */
export function connectObjects(
  config: ObjectsConfig,
  /** For tests: of a call that has no deadline of its own. */
  { deadlineMs: deadlineMsOfAll }: { deadlineMs?: number } = {},
) {
  const client = s3Client(config)
  const Bucket = config.S3_BUCKET

  return {
    /** Resolves when the bucket can be reached with these keys; rejects with the reason when not. */
    ping: async (): Promise<void> => {
      await client.send(new HeadBucketCommand({ Bucket }), {
        abortSignal: AbortSignal.timeout(PING_DEADLINE_MS),
      })
    },
    /** Stores or replaces an object. Bytes, not a stream: the SDK refuses streams over plain http. */
    put: async (
      key: string,
      bytes: Uint8Array,
      {
        contentType,
        cacheControl,
        deadlineMs = deadlineMsOfAll,
      }: { contentType: string; cacheControl?: string; deadlineMs?: number },
    ): Promise<void> => {
      const command = new PutObjectCommand({
        Bucket,
        Key: key,
        Body: bytes,
        ContentType: contentType,
        ...(cacheControl === undefined ? {} : { CacheControl: cacheControl }),
      })
      await inTime((abortSignal) => client.send(command, { abortSignal }), deadlineMs)
    },
    /** A whole object; null when there is none. */
    get: (
      key: string,
      {
        bytesMax = GET_BYTES_MAX,
        deadlineMs = deadlineMsOfAll,
      }: { bytesMax?: number; deadlineMs?: number } = {},
    ): Promise<StoredObject | null> =>
      orNull(async (abortSignal) => {
        const { Body, ContentLength, ContentType } = await client.send(
          new GetObjectCommand({ Bucket, Key: key }),
          { abortSignal },
        )
        if (!Body || ContentLength === undefined || ContentLength > bytesMax)
          throw new Error(`an object of ${ContentLength} bytes, where ${bytesMax} are the most`)
        const bytes = new Uint8Array(await Body.transformToByteArray())
        return { bytes, contentType: ContentType ?? 'application/octet-stream' }
      }, deadlineMs),
    /** Deletes objects. Idempotent. */
    remove: async (keys: readonly string[]): Promise<void> => {
      for (let at = 0; at < keys.length; at += KEYS_PER_DELETE_MAX) {
        const Objects = keys.slice(at, at + KEYS_PER_DELETE_MAX).map((Key) => ({ Key }))
        const command = new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } })
        const { Errors = [] } = await inTime(
          (abortSignal) => client.send(command, { abortSignal }),
          deadlineMsOfAll,
        )
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
        const page = await inTime((abortSignal) => client.send(command, { abortSignal }), deadlineMsOfAll)
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
