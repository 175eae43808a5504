import { OBJECTS_VARIABLES, objectsAccess } from '@palanquin/objects/access'
import { connectObjects } from '@palanquin/objects/objects'
import { readConfig } from '@palanquin/service/config'

/** `bun run apps/media/src/make-bucket.ts`: creates the bucket of a new object store and exits. Idempotent. */
const objects = connectObjects(objectsAccess(readConfig(OBJECTS_VARIABLES, process.env)))
await objects.make()
objects.close()
console.log('The bucket exists')
