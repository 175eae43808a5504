import type { S3Access, Stores } from '@palanquin/embedded/stack'
import { LauncherError } from '../launcher-error.ts'
import type { Settings } from '../settings/settings.ts'

const DEFAULT_REGION = 'us-east-1'

export type StoreAddresses = Pick<Stores, 'databaseUrl' | 'redisUrl' | 's3'>
export type External = Partial<StoreAddresses>

/** The stores that the settings name. @throws LauncherError when a setting of one is wrong or missing */
export function externalStores(settings: Settings): External {
  const { DATABASE_URL, REDIS_URL } = settings
  assertAddress('DATABASE_URL', DATABASE_URL, /^postgres(?:ql)?:\/\//)
  assertAddress('REDIS_URL', REDIS_URL, /^rediss?:\/\//)
  assertAddress('S3_ENDPOINT', settings.S3_ENDPOINT, /^https?:\/\//)
  return {
    ...(DATABASE_URL ? { databaseUrl: DATABASE_URL } : {}),
    ...(REDIS_URL ? { redisUrl: REDIS_URL } : {}),
    ...(settings.S3_ENDPOINT ? { s3: externalS3(settings.S3_ENDPOINT, settings) } : {}),
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

function externalS3(endpoint: string, settings: Settings): S3Access {
  const needed = (name: string): string => {
    const value = settings[name]
    if (!value) throw new LauncherError(`S3_ENDPOINT is set, so ${name} must be set too.`)
    return value
  }
  return {
    endpoint,
    bucket: needed('S3_BUCKET'),
    accessKeyId: needed('S3_ACCESS_KEY_ID'),
    secretAccessKey: needed('S3_SECRET_ACCESS_KEY'),
    region: settings.S3_REGION ?? DEFAULT_REGION,
  }
}
