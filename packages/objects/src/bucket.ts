import { extname } from 'node:path'
import {
  BucketAlreadyExists,
  BucketAlreadyOwnedByYou,
  CreateBucketCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadBucketCommand,
  ListObjectsV2Command,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { assertSize, GET_BYTES_MAX, inTime, PING_DEADLINE_MS } from './in-time.ts'
import type { ListedObject, Objects, S3Access } from './objects.ts'

/** A connection that the store closed while it was idle fails its next call; every call is idempotent. */
const ATTEMPTS_MAX = 2
/** Limit of one DeleteObjects (S3 API). */
const KEYS_PER_DELETE_MAX = 1_000

const TYPES: Readonly<Record<string, string>> = { '.png': 'image/png', '.jpg': 'image/jpeg' }

/** Objects in a bucket of any S3, by the aws-sdk. */
export function openBucket(
  { endpoint, region, bucket: Bucket, accessKeyId, secretAccessKey }: S3Access,
  deadlineMsOfAll?: number,
): Objects {
  const client = new S3Client({
    endpoint,
    region,
    // The bucket in the path: a host name per bucket needs DNS that small installations do not have.
    forcePathStyle: true,
    credentials: { accessKeyId, secretAccessKey },
    maxAttempts: ATTEMPTS_MAX,
    // Not every store supports the checksums that newer SDKs add by default.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  })
  const call = <T>(
    work: (options: { abortSignal: AbortSignal }) => Promise<T>,
    deadlineMs = deadlineMsOfAll,
  ) => inTime((abortSignal) => work({ abortSignal }), deadlineMs)

  return {
    ping: async () => {
      const abortSignal = AbortSignal.timeout(PING_DEADLINE_MS)
      await client.send(new HeadBucketCommand({ Bucket }), { abortSignal })
    },
    make: () =>
      call(async (options) => {
        try {
          await client.send(new CreateBucketCommand({ Bucket }), options)
        } catch (error) {
          if (!(error instanceof BucketAlreadyOwnedByYou || error instanceof BucketAlreadyExists)) throw error
        }
      }),
    // Bytes, not a stream: the SDK refuses streams over plain http.
    put: async (key, bytes, { deadlineMs } = {}) => {
      const ContentType = TYPES[extname(key)] ?? 'application/octet-stream'
      const command = new PutObjectCommand({ Bucket, Key: key, Body: bytes, ContentType })
      await call((options) => client.send(command, options), deadlineMs)
    },
    get: (key, { bytesMax = GET_BYTES_MAX, deadlineMs } = {}) =>
      call(async (options) => {
        try {
          const command = new GetObjectCommand({ Bucket, Key: key })
          const { Body, ContentLength } = await client.send(command, options)
          assertSize(ContentLength, bytesMax)
          return Body ? new Uint8Array(await Body.transformToByteArray()) : null
        } catch (error) {
          if (error instanceof NoSuchKey) return null
          throw error
        }
      }, deadlineMs),
    remove: async (keys) => {
      for (let at = 0; at < keys.length; at += KEYS_PER_DELETE_MAX) {
        const Objects = keys.slice(at, at + KEYS_PER_DELETE_MAX).map((Key) => ({ Key }))
        const command = new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } })
        await call(async (options) => {
          const [first] = (await client.send(command, options)).Errors ?? []
          if (first) throw new Error(`${first.Code}: an object was not deleted`)
        })
      }
    },
    list: async function* (prefix) {
      let ContinuationToken: string | undefined
      do {
        const command = new ListObjectsV2Command({ Bucket, Prefix: prefix, ContinuationToken })
        const page = await call((options) => client.send(command, options))
        yield (page.Contents ?? []).flatMap(({ Key, Size = 0, LastModified }): ListedObject[] =>
          Key === undefined ? [] : [{ key: Key, bytes: Size, modifiedAtMs: LastModified?.getTime() ?? 0 }],
        )
        ContinuationToken = page.NextContinuationToken
      } while (ContinuationToken !== undefined)
    },
    close: () => client.destroy(),
  }
}
