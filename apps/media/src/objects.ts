import {
  BucketAlreadyExists,
  BucketAlreadyOwnedByYou,
  CreateBucketCommand,
  HeadBucketCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import type { ObjectsConfig } from './config.ts'

/** Below the probe's own half second, so that a store that does not answer leaves no request behind. */
const PING_DEADLINE_MS = 450

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
    /** Makes the bucket; that it is there already is as good. */
    makeBucket: async (): Promise<void> => {
      try {
        await client.send(new CreateBucketCommand({ Bucket: config.S3_BUCKET }))
      } catch (error) {
        if (!(error instanceof BucketAlreadyOwnedByYou || error instanceof BucketAlreadyExists)) throw error
      }
    },
    close: () => client.destroy(),
  }
}

export type Objects = ReturnType<typeof connectObjects>
