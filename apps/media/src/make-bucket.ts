import { readObjectsConfig } from './config.ts'
import { connectObjects } from './objects.ts'

/** `bun run apps/media/src/make-bucket.ts`: creates the bucket of a new object store and exits. */
const objects = connectObjects(readObjectsConfig(process.env))
objects.makeBucket().then(
  () => console.log('The bucket exists'),
  (error: Error) => {
    console.error(`The bucket could not be created: ${error.message}`)
    process.exit(1)
  },
)
