import { BucketAlreadyExists, BucketAlreadyOwnedByYou, CreateBucketCommand } from '@aws-sdk/client-s3'
import { readObjectsConfig } from './config.ts'
import { s3Client } from './s3-client.ts'

/** `bun run apps/media/src/make-bucket.ts`: creates the bucket of a new object store and exits. Idempotent. */
async function makeBucket(): Promise<void> {
  const config = readObjectsConfig(process.env)
  try {
    await s3Client(config).send(new CreateBucketCommand({ Bucket: config.S3_BUCKET }))
  } catch (error) {
    if (!(error instanceof BucketAlreadyOwnedByYou || error instanceof BucketAlreadyExists)) throw error
  }
}

makeBucket().then(
  () => console.log('The bucket exists'),
  (error: Error) => {
    console.error(`The bucket could not be created: ${error.message}`)
    process.exit(1)
  },
)
