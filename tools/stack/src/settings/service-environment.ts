import { join, resolve } from 'node:path'
import type { KeptCertificate } from '../certificate/keep.ts'
import { commitOf, PROJECT_ROOT } from '../project.ts'
import type { Home } from '../run-state/home.ts'
import { copiesOf, journalOf, nameOfCopy } from '../units/copies.ts'
import type { StoreAddresses } from '../units/external-stores.ts'
import { GATEWAY, type Service } from '../units/services.ts'
import { runtimeMemory } from './runtime-memory.ts'
import type { Secrets } from './secrets.ts'
import { type Settings, tokenVariables } from './settings.ts'

/** With Bun's default of 256 concurrent requests, one slow service would block all the others. */
const GATEWAY_REQUESTS_MAX = '4096'

/** Under any load the gateway learns within this time that a copy is about to stop. */
const DRAIN_MS = '500'

const LOOPBACK_HOSTS = ['localhost', '127.0.0.1', '[::1]']

/** The URLs of PostgreSQL and Redis for each process, with a user of its own and least privilege. */
export type ServiceCredentials = {
  databaseUrls: Readonly<Record<Service, string>>
  redisUrls: Readonly<Record<Service | typeof GATEWAY, string>>
}

/** What the environments of the services are made of, once the stores run. */
export type StackFacts = StoreAddresses & {
  credentials: ServiceCredentials
  home: Home
  settings: Settings
  secrets: Secrets
  socketFolder: string
  certificate: KeptCertificate
}

/**
 * The full environment of a copy of a service (counted from 1): the user's settings, and what only the
 * launcher knows. `environmentFor` then keeps the variables that its config reads.
 */
export function serviceEnvironment(service: Service, facts: StackFacts, copy = 1): Settings {
  const isOneOfSeveral = copiesOf(facts.home, facts.settings, service) > 1
  return {
    ...shared(facts, service),
    ...(isOneOfSeveral ? { DRAIN_MS: facts.settings.DRAIN_MS ?? DRAIN_MS } : {}),
    SOCKET: socketOf(facts, nameOfCopy(service, copy)),
    DATABASE_URL: facts.credentials.databaseUrls[service],
    JOURNAL_DIR: journalOf(facts.home, copy),
  }
}

/** The same for the gateway, which alone gets the tokens and the certificate. */
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

/** Where the gateway listens: on this machine only, unless configured otherwise. */
export const publicAddress = (settings: Settings): string => settings.PUBLIC_ADDRESS ?? '127.0.0.1'

/** This machine calls its own gateway by a loopback name, even where PUBLIC_HOSTS is restricted. */
function publicHosts({ PUBLIC_HOSTS, NODE_ENV }: Settings): Settings {
  if (!PUBLIC_HOSTS && NODE_ENV !== 'production') return {}
  return { PUBLIC_HOSTS: [PUBLIC_HOSTS, ...LOOPBACK_HOSTS].filter(Boolean).join(',') }
}

const socketOf = ({ socketFolder }: StackFacts, name: string): string => join(socketFolder, `${name}.sock`)

/** The addresses of all copies of a service, separated by commas. */
function addressesOf(facts: StackFacts, service: Service): string {
  const copies = copiesOf(facts.home, facts.settings, service)
  return Array.from(
    { length: copies },
    (_, at) => `unix:${socketOf(facts, nameOfCopy(service, at + 1))}`,
  ).join()
}

function shared(facts: StackFacts, process: Service | typeof GATEWAY): Settings {
  const { settings, secrets, credentials: own, objects } = facts
  return {
    ...runtimeMemory(process),
    ...settings,
    NODE_ENV: settings.NODE_ENV ?? 'development',
    HOST: '127.0.0.1',
    PORT: '0',
    BUILD_COMMIT: settings.BUILD_COMMIT ?? commitOf(PROJECT_ROOT) ?? '',
    INTERNAL_TOKEN: secrets.internalToken,
    PSEUDONYM_SECRET: secrets.pseudonymSecret,
    REDIS_URL: own.redisUrls[process],
    TRACKING_URL: addressesOf(facts, 'tracking'),
    MAP_URL: addressesOf(facts, 'map'),
    ENGAGEMENT_URL: addressesOf(facts, 'engagement'),
    MEDIA_URL: addressesOf(facts, 'media'),
    LINE_BOT_URL: addressesOf(facts, 'line-bot'),
    ...('folder' in objects ? { OBJECTS_DIR: objects.folder } : {}),
  }
}
