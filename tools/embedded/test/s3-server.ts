import { join } from 'node:path'
import { GetObjectCommand, PutObjectCommand, S3Client, S3ServiceException } from '@aws-sdk/client-s3'
import { startS3 } from '../src/s3.ts'
import { throwawayFolder } from './throwaway.ts'

export const Bucket = 'pictures'
export const KEYS = { accessKeyId: 'access-key', secretAccessKey: 'secret-key' }

/** A real server in its own folder, and two real clients: Amazon's and Bun's. */
export async function openS3() {
  const folder = throwawayFolder()
  let client: S3Client | undefined
  const start = async () => {
    const started = await startS3({
      dataDir: join(folder.path, 's3'),
      logFile: join(folder.path, 's3.log'),
      bucket: Bucket,
      ...KEYS,
    })
    // After a restart it has the same port, unless another process took that meanwhile.
    client = clientOf(KEYS, started)
    return started
  }
  const clientOf = (
    credentials = KEYS,
    { endpoint, region }: { endpoint: string; region: string } = server,
  ) => new S3Client({ endpoint, region, forcePathStyle: true, credentials, maxAttempts: 1 })
  const present = (): S3Client => {
    if (!client) throw new Error('the server is started first')
    return client
  }
  const server = await start()
  const { endpoint, region } = server
  return {
    start,
    server,
    client: present(),
    clientOf,
    folder: folder.path,
    bun: new Bun.S3Client({ endpoint, region, bucket: Bucket, ...KEYS }),
    put: (Key: string, Body: string | Uint8Array = Key) =>
      present().send(new PutObjectCommand({ Bucket, Key, Body })),
    get: async (Key: string, more = {}) => {
      const { Body, ...rest } = await present().send(new GetObjectCommand({ Bucket, Key, ...more }))
      return { ...rest, bytes: Buffer.from((await Body?.transformToByteArray()) ?? []) }
    },
    close: async () => {
      await server.stop()
      await folder.remove()
    },
  }
}

/** Code and status of an S3 error; undefined without an error. */
export async function apiError(
  work: Promise<unknown>,
): Promise<[code: string, status: number | undefined] | undefined> {
  try {
    await work
    return undefined
  } catch (error) {
    if (error instanceof S3ServiceException) return [error.name, error.$metadata.httpStatusCode]
    throw error
  }
}
