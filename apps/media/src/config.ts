import { type Environment, readConfig, SERVICE_VARIABLES, text } from '@palanquin/service/config'

const OBJECTS_VARIABLES = {
  S3_ENDPOINT: text('http(s):// address of the object store'),
  S3_BUCKET: text('bucket that holds the pictures'),
  S3_ACCESS_KEY_ID: text('key id of the object store'),
  S3_SECRET_ACCESS_KEY: text('secret key of the object store'),
  S3_REGION: text('region that signatures name', 'us-east-1'),
}

/** The object store alone. @throws ConfigurationError with every problem at once */
export const readObjectsConfig = (env: Environment) => readConfig(OBJECTS_VARIABLES, env)

export type ObjectsConfig = ReturnType<typeof readObjectsConfig>

const VARIABLES = { ...SERVICE_VARIABLES, ...OBJECTS_VARIABLES }

/** What this process needs to know. @throws ConfigurationError with every problem at once */
export const readMediaConfig = (env: Environment) => readConfig(VARIABLES, env)

export type MediaConfig = ReturnType<typeof readMediaConfig>
