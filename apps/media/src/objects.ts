import { HeadBucketCommand, S3Client } from '@aws-sdk/client-s3'
import type { MediaConfig } from './config.ts'

/** Below the probe's own half second, so that a store that does not answer leaves no request behind. */
const PING_DEADLINE_MS = 450

export type ObjectsConfig = Pick<
  MediaConfig,
  'S3_ENDPOINT' | 'S3_BUCKET' | 'S3_ACCESS_KEY_ID' | 'S3_SECRET_ACCESS_KEY' | 'S3_REGION'
>

/** The object store, through the aws-sdk: Bun's own client drops cache headers and metadata. Connects lazily. */
export function connectObjects(config: ObjectsConfig) {
  const client = new S3Client({
    endpoint: config.S3_ENDPOINT,
    region: config.S3_REGION,
    // The bucket in the path: a host name per bucket needs DNS that small installations do not have.
    forcePathStyle: true,
    credentials: { accessKeyId: config.S3_ACCESS_KEY_ID, secretAccessKey: config.S3_SECRET_ACCESS_KEY },
    maxAttempts: 1,
  })
  return {
    /** Whether the bucket is there and our keys open it; rejects with the reason when not. */
    ping: async (): Promise<void> => {
      const command = new HeadBucketCommand({ Bucket: config.S3_BUCKET })
      await client.send(command, { abortSignal: AbortSignal.timeout(PING_DEADLINE_MS) })
    },
    close: () => client.destroy(),
  }
}

export type Objects = ReturnType<typeof connectObjects>
