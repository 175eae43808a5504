import type { Stores } from '@palanquin/embedded/stack'
import { objectsAccess } from '@palanquin/objects/access'
import type { ObjectsAccess } from '@palanquin/objects/objects'
import { ConfigurationError } from '@palanquin/service/config'
import { LauncherError } from '../launcher-error.ts'
import type { Home } from '../run-state/home.ts'
import type { Settings } from '../settings/settings.ts'

export type ServerAddresses = Pick<Stores, 'databaseUrl' | 'redisUrl'>
export type StoreAddresses = ServerAddresses & { objects: ObjectsAccess }
export type External = Partial<ServerAddresses>

/** The stores that the settings name. @throws LauncherError when a setting of one is wrong or missing */
export function externalStores(settings: Settings): External {
  const { DATABASE_URL, REDIS_URL } = settings
  assertAddress('DATABASE_URL', DATABASE_URL, /^postgres(?:ql)?:\/\//)
  assertAddress('REDIS_URL', REDIS_URL, /^rediss?:\/\//)
  return {
    ...(DATABASE_URL ? { databaseUrl: DATABASE_URL } : {}),
    ...(REDIS_URL ? { redisUrl: REDIS_URL } : {}),
  }
}

/** Only the expected prefix is printed: the address may hold a password. */
function assertAddress(name: string, address: string | undefined, begin: RegExp): void {
  if (address === undefined || begin.test(address)) return
  throw new LauncherError(
    `${name} is not the address of such a server: ${STORE_ADDRESSES[name]} was expected.`,
  )
}
const STORE_ADDRESSES: Readonly<Record<string, string>> = {
  DATABASE_URL: 'postgres://user:password@host:5432/database',
  REDIS_URL: 'redis://default:password@host:6379',
  S3_ENDPOINT: 'https://host:port',
}

/** The S3 that the settings name, else the home's own folder. @throws LauncherError when a setting is wrong or missing */
export function objectsOf({ objects }: Home, settings: Settings): ObjectsAccess {
  assertAddress('S3_ENDPOINT', settings.S3_ENDPOINT, /^https?:\/\//)
  try {
    return objectsAccess({ ...settings, OBJECTS_DIR: objects })
  } catch (error) {
    if (error instanceof ConfigurationError)
      throw new LauncherError(`S3_ENDPOINT is set: ${error.problems.join(', ')}.`)
    throw error
  }
}
