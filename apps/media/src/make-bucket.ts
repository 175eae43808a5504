import { readObjectsConfig } from './config.ts'
import { connectObjects } from './objects.ts'

/** `bun run apps/media/src/make-bucket.ts`: makes the bucket of a fresh object store, once, and ends. */
const objects = connectObjects(readObjectsConfig(process.env))
objects.makeBucket().then(
  () => console.log('the bucket is there'),
  (error: Error) => {
    console.error(`the bucket could not be made: ${error.message}`)
    process.exit(1)
  },
)
