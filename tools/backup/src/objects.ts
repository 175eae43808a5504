import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  CreateBucketCommand,
  GetObjectCommand,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import type { S3Access } from '@palanquin/embedded/stack'
import { LauncherError } from '@palanquin/stack/launcher-error'
import Type, { type Static } from 'typebox'
import Value from 'typebox/value'
import { FILE_MODE, FOLDER_MODE, readLines, type Written, writeLines } from './lines.ts'

export const OBJECTS_FILE = 's3/objects.ndjson.gz'
const AT_ONCE = 8
/** How often progress is reported. */
const TELL_EVERY = 1_000
const ATTEMPTS_MAX = 3

/**
 * An object as the index lists it: its body is a file named by its SHA-256, so equal bodies are stored once.
 */
const Saved = Type.Object({
  key: Type.String(),
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  bytes: Type.Integer({ minimum: 0 }),
  contentType: Type.Optional(Type.String()),
  cacheControl: Type.Optional(Type.String()),
  contentDisposition: Type.Optional(Type.String()),
  metadata: Type.Record(Type.String(), Type.String()),
})
type Saved = Static<typeof Saved>

const bodyFile = (folder: string, sha256: string): string =>
  join(folder, 's3', 'bodies', sha256.slice(0, 2), sha256)

export function connectBucket({ endpoint, region, bucket, accessKeyId, secretAccessKey }: S3Access) {
  const client = new S3Client({
    endpoint,
    region,
    forcePathStyle: true,
    credentials: { accessKeyId, secretAccessKey },
    maxAttempts: ATTEMPTS_MAX,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  })
  return { client, bucket }
}
type Bucket = ReturnType<typeof connectBucket>

/** Writes the objects of these keys with their metadata. */
export async function saveObjects(
  bucket: Bucket,
  folder: string,
  keys: readonly string[],
  moved: (done: number) => void,
): Promise<{ written: Written; bytes: number }> {
  let bytes = 0
  let done = 0
  const lines = async function* () {
    for (let at = 0; at < keys.length; at += AT_ONCE) {
      const found = await Promise.all(keys.slice(at, at + AT_ONCE).map((key) => saveOne(bucket, folder, key)))
      for (const saved of found) {
        if (++done % TELL_EVERY === 0) moved(done)
        if (!saved) continue
        bytes += saved.bytes
        yield JSON.stringify(saved)
      }
    }
  }
  const written = await writeLines(join(folder, OBJECTS_FILE), lines())
  return { written, bytes }
}

async function saveOne({ client, bucket }: Bucket, folder: string, key: string): Promise<Saved | undefined> {
  try {
    const found = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key }))
    const body = await found.Body?.transformToByteArray()
    if (!body) throw new LauncherError(`The object ${key} came without its body.`)
    const sha256 = createHash('sha256').update(body).digest('hex')
    const file = bodyFile(folder, sha256)
    mkdirSync(dirname(file), { recursive: true, mode: FOLDER_MODE })
    if (!existsSync(file)) writeFileSync(file, body, { mode: FILE_MODE })
    return {
      key,
      sha256,
      bytes: body.length,
      metadata: found.Metadata ?? {},
      ...(found.ContentType === undefined ? {} : { contentType: found.ContentType }),
      ...(found.CacheControl === undefined ? {} : { cacheControl: found.CacheControl }),
      ...(found.ContentDisposition === undefined ? {} : { contentDisposition: found.ContentDisposition }),
    }
  } catch (error) {
    if (error instanceof NoSuchKey) return undefined
    throw error
  }
}

/** Puts every object of a backup into the bucket, which is created if needed; idempotent. */
export async function loadObjects(
  { client, bucket }: Bucket,
  folder: string,
  moved: (done: number) => void,
): Promise<void> {
  await makeBucket({ client, bucket })
  let done = 0
  let under: Promise<unknown>[] = []
  for await (const line of readLines(join(folder, OBJECTS_FILE))) {
    under.push(loadOne({ client, bucket }, folder, Value.Parse(Saved, JSON.parse(line))))
    if (under.length < AT_ONCE) continue
    await Promise.all(under)
    done += under.length
    if (done % TELL_EVERY === 0) moved(done)
    under = []
  }
  await Promise.all(under)
}

async function loadOne({ client, bucket }: Bucket, folder: string, saved: Saved): Promise<void> {
  const body = readFileSync(bodyFile(folder, saved.sha256))
  if (createHash('sha256').update(body).digest('hex') !== saved.sha256)
    throw new LauncherError(`${bodyFile(folder, saved.sha256)} is damaged: its SHA-256 is not its name.`)
  await client.send(
    new PutObjectCommand({
      Bucket: bucket,
      Key: saved.key,
      Body: body,
      Metadata: saved.metadata,
      ...(saved.contentType === undefined ? {} : { ContentType: saved.contentType }),
      ...(saved.cacheControl === undefined ? {} : { CacheControl: saved.cacheControl }),
      ...(saved.contentDisposition === undefined ? {} : { ContentDisposition: saved.contentDisposition }),
    }),
  )
}

async function makeBucket({ client, bucket }: Bucket): Promise<void> {
  try {
    await client.send(new CreateBucketCommand({ Bucket: bucket }))
  } catch (error) {
    const isThere = error instanceof S3ServiceException && /^BucketAlready/.test(error.name)
    if (!isThere) throw error
  }
}
