import { ConfigurationError, optional, text } from '@palanquin/service/config'
import type { ObjectsAccess } from './objects.ts'

const DEFAULT_REGION = 'us-east-1'

/** The variables that say where the objects are. */
export const OBJECTS_VARIABLES = {
  OBJECTS_DIR: optional(text('folder of the images, where they are not in an S3')),
  S3_ENDPOINT: optional(text('http(s):// address of the object store')),
  S3_BUCKET: optional(text('bucket of the images')),
  S3_ACCESS_KEY_ID: optional(text('key id of the object store')),
  S3_SECRET_ACCESS_KEY: optional(text('secret key of the object store')),
  S3_REGION: text('region that signatures name', DEFAULT_REGION),
}

type Settings = { readonly [name in keyof typeof OBJECTS_VARIABLES]?: string | undefined }

const OF_S3 = ['S3_ENDPOINT', 'S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const

/** What is missing: nothing with a folder alone, and nothing with all of an S3. */
export const objectsProblems = (env: Settings): string[] =>
  env.OBJECTS_DIR && !env.S3_ENDPOINT
    ? []
    : OF_S3.filter((name) => !env[name]).map((name) => `${name} is missing`)

/** Where the objects are; an S3 wins. @throws ConfigurationError with every variable that is missing */
export function objectsAccess(env: Settings): ObjectsAccess {
  const { OBJECTS_DIR, S3_ENDPOINT, S3_BUCKET, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY, S3_REGION } = env
  if (S3_ENDPOINT && S3_BUCKET && S3_ACCESS_KEY_ID && S3_SECRET_ACCESS_KEY)
    return {
      endpoint: S3_ENDPOINT,
      bucket: S3_BUCKET,
      accessKeyId: S3_ACCESS_KEY_ID,
      secretAccessKey: S3_SECRET_ACCESS_KEY,
      region: S3_REGION ?? DEFAULT_REGION,
    }
  if (OBJECTS_DIR && !S3_ENDPOINT) return { folder: OBJECTS_DIR }
  throw new ConfigurationError(objectsProblems(env))
}
