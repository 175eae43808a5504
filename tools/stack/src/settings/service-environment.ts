import { accessSync, constants } from 'node:fs'
import { join, resolve } from 'node:path'
import type { KeptCertificate } from '../certificate/keep.ts'
import { LauncherError } from '../launcher-error.ts'
import { commitOf, PROJECT_ROOT } from '../project.ts'
import type { Home } from '../run-state/home.ts'
import { copiesOf, journalOf, nameOfCopy } from '../units/copies.ts'
import { GATEWAY, type Service } from '../units/services.ts'
import type { StoreAddresses } from '../units/stores.ts'
import type { Secrets } from './secrets.ts'
import { type Settings, tokenVariables } from './settings.ts'

/** Where Bun's `fetch` stops at 256 requests under way, one slow service would hold up all the others. */
const GATEWAY_REQUESTS_MAX = '4096'

/**
 * For so many milliseconds who answers a crowd keeps freed memory for what comes next, and -1 is for good; but not the map, whose bursts
 * are of megabytes. By default Bun's allocator gives pieces of 16 to 64 kB back to the kernel all the time and has them cleared anew
 * when they are touched again: under check-ins 5 % of the processor time (measured). The gateway gives back what bursts
 * of large answers cost: 347 MB stayed after 150 clients that did not read, 92 do now.
 */
const KEEP_MEMORY_MS: Readonly<Record<string, string>> = {
  [GATEWAY]: '5000',
  tracking: '-1',
  engagement: '-1',
}

/** Under any load the gateway hears within this that a copy is about to stop. */
const DRAIN_MS = '500'

const LOOPBACK_HOSTS = ['localhost', '127.0.0.1', '[::1]']

/** Where each finds PostgreSQL and Redis, under a name of its own that may do no more than it needs. */
export type ServiceCredentials = {
  databaseUrls: Readonly<Record<Service, string>>
  redisUrls: Readonly<Record<Service | typeof GATEWAY, string>>
}

/** Everything that the services are told, once the stores are up. */
export type StackFacts = StoreAddresses & {
  own: ServiceCredentials
  home: Home
  settings: Settings
  secrets: Secrets
  socketFolder: string
  certificate: KeptCertificate
}

/**
 * Everything that a copy of a service (counted from 1) may be told: a person's settings, and what only the launcher knows.
 * It is given what its config reads of that (`environmentFor`).
 */
export function serviceEnvironment(service: Service, facts: StackFacts, copy = 1): Settings {
  const isOneOfSeveral = copiesOf(facts.home, facts.settings, service) > 1
  return {
    ...shared(facts, service),
    ...(isOneOfSeveral ? { DRAIN_MS: facts.settings.DRAIN_MS ?? DRAIN_MS } : {}),
    SOCKET: socketOf(facts, nameOfCopy(service, copy)),
    DATABASE_URL: facts.own.databaseUrls[service],
    JOURNAL_DIR: journalOf(facts.home, copy),
  }
}

/** The same of the gateway, which alone has the tokens and the certificate. */
export function gatewayEnvironment(facts: StackFacts): Settings {
  const { settings, secrets, certificate } = facts
  const variables = tokenVariables(settings)
  const { TLS_CERT_FILE, TLS_KEY_FILE, ...known } = shared(facts, GATEWAY)
  return {
    ...known,
    BUN_CONFIG_MAX_HTTP_REQUESTS: settings.BUN_CONFIG_MAX_HTTP_REQUESTS ?? GATEWAY_REQUESTS_MAX,
    [variables.owner]: secrets.tokens.owner,
    [variables.manager]: secrets.tokens.manager,
    [variables.volunteer]: secrets.tokens.volunteer,
    PUBLIC_ADDRESS: publicAddress(settings),
    SHARE_PORT: 'first',
    ...publicHosts(settings),
    ...(settings.TRUST_PROXY
      ? {}
      : {
          TLS_CERT_FILE: resolve(PROJECT_ROOT, TLS_CERT_FILE ?? certificate.certFile),
          TLS_KEY_FILE: resolve(PROJECT_ROOT, TLS_KEY_FILE ?? certificate.keyFile),
        }),
  }
}

/** @throws LauncherError where a person's certificate is not whole: one of its two files is not named, or cannot be read */
export function assertCertificate({ TRUST_PROXY, TLS_CERT_FILE, TLS_KEY_FILE }: Settings): void {
  if (TRUST_PROXY) return
  if ((TLS_CERT_FILE === undefined) !== (TLS_KEY_FILE === undefined))
    throw new LauncherError('TLS_CERT_FILE and TLS_KEY_FILE belong together: set both, or neither.')
  for (const [name, file] of Object.entries({ TLS_CERT_FILE, TLS_KEY_FILE }))
    if (file !== undefined && !isReadable(resolve(PROJECT_ROOT, file)))
      throw new LauncherError(`${name}=${file}: there is no such file, or it cannot be read.`)
}

function isReadable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK)
    return true
  } catch {
    return false // that is what was asked
  }
}

/** Where the gateway listens: this machine alone, unless a person wants it seen from others. */
export const publicAddress = (settings: Settings): string => settings.PUBLIC_ADDRESS ?? '127.0.0.1'

/** This machine calls its own gateway by a loopback name, also where PUBLIC_HOSTS lists what clients may say. */
function publicHosts({ PUBLIC_HOSTS, NODE_ENV }: Settings): Settings {
  if (!PUBLIC_HOSTS && NODE_ENV !== 'production') return {}
  return { PUBLIC_HOSTS: [PUBLIC_HOSTS, ...LOOPBACK_HOSTS].filter(Boolean).join(',') }
}

const socketOf = ({ socketFolder }: StackFacts, name: string): string => join(socketFolder, `${name}.sock`)

/** Where all copies of a service listen, by comma. */
function addressesOf(facts: StackFacts, service: Service): string {
  const copies = copiesOf(facts.home, facts.settings, service)
  return Array.from(
    { length: copies },
    (_, at) => `unix:${socketOf(facts, nameOfCopy(service, at + 1))}`,
  ).join()
}

function shared(facts: StackFacts, process: Service | typeof GATEWAY): Settings {
  const { settings, secrets, own, s3 } = facts
  return {
    ...settings,
    NODE_ENV: settings.NODE_ENV ?? 'development',
    HOST: '127.0.0.1',
    PORT: '0',
    ...(process in KEEP_MEMORY_MS
      ? { MIMALLOC_PURGE_DELAY: settings.MIMALLOC_PURGE_DELAY ?? KEEP_MEMORY_MS[process] }
      : {}),
    BUILD_COMMIT: settings.BUILD_COMMIT ?? commitOf(PROJECT_ROOT) ?? '',
    INTERNAL_TOKEN: secrets.internalToken,
    PSEUDONYM_SECRET: secrets.pseudonymSecret,
    REDIS_URL: own.redisUrls[process],
    TRACKING_URL: addressesOf(facts, 'tracking'),
    MAP_URL: addressesOf(facts, 'map'),
    ENGAGEMENT_URL: addressesOf(facts, 'engagement'),
    MEDIA_URL: addressesOf(facts, 'media'),
    LINE_BOT_URL: addressesOf(facts, 'line-bot'),
    S3_ENDPOINT: s3.endpoint,
    S3_BUCKET: s3.bucket,
    S3_ACCESS_KEY_ID: s3.accessKeyId,
    S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
    S3_REGION: s3.region,
  }
}
