import {
  COMMON_VARIABLES,
  ConfigurationError,
  type Environment,
  integer,
  listOf,
  optional,
  readConfig,
  text,
  toggle,
  weakSecrets,
} from '@palanquin/service/config'
import Type, { type Static } from 'typebox'
import { hostProblems } from './config/hosts.ts'
import { corsOriginProblems } from './config/origins.ts'
import { proxyProblems } from './config/proxies.ts'
import { readTokens, secretProblems } from './config/tokens.ts'
import { parseAddresses } from './proxy/address.ts'
import { DEFAULT_LIMITS } from './rate-limit/rules.ts'

const USER_AUTH_VALUES =
  'session (a public write that names a userId needs the session of that person, or their LIFF ID token), line (it needs the LIFF ID token; no page outside of LINE can write) or off (anybody who knows a userId, which the card address /og/{userId}.png contains, may write positions, a status and a phone number in its name)'

const COUNT_MAX = 10_000_000
const PORT = { minimum: 0, maximum: 65_535 }

/** Every environment variable that the process reads. */
export const VARIABLES = {
  ...COMMON_VARIABLES,
  EVENT_BRAND: Type.String({
    pattern: '^[a-z][a-z0-9-]{0,31}$',
    description: 'the brand: the path prefix /api/<brand> and the names <BRAND>_ADMIN_TOKEN …',
    default: 'event',
  }),
  INTERNAL_TOKEN: text('shared by the gateway and the services; new,old while it is changed'),
  PSEUDONYM_SECRET: text('key of the tags on sessions, codes, tokens and links; that of all services'),
  REDIS_URL: text('redis:// address; the rate limits are counted there'),
  TRACKING_URL: text('unix:/path or http://host:port of tracking; several copies by comma'),
  MAP_URL: text('the same of the map process'),
  ENGAGEMENT_URL: text('the same of engagement'),
  MEDIA_URL: text('the same of media'),
  LINE_BOT_URL: text('the same of the line-bot'),
  PUBLIC_ADDRESS: text('address that the public port listens on', '0.0.0.0'),
  PUBLIC_PORT: integer('public port (0: any free one)', { ...PORT, default: 8_443 }),
  SHARE_PORT: Type.Union([Type.Literal('off'), Type.Literal('first'), Type.Literal('successor')], {
    description: 'first: a successor of the same user may listen at the public port as well, and take over',
    default: 'off',
  }),
  PUBLIC_HOSTS: optional(text('host names that clients may call it by, by comma; any port')),
  TLS_CERT_FILE: optional(text('PEM file of the certificate and its chain')),
  TLS_KEY_FILE: optional(text('PEM file of its private key')),
  TRUST_PROXY: optional(text('CIDR list of the proxies that terminate TLS; the public port is then plain')),
  CORS_ORIGINS: text('* or origins by comma, as in https://map.example', '*'),
  RATE_LIMITS: toggle('off is for benchmarks alone', 'on'),
  PUBLIC_WRITE_LIMIT: integer('public POST and PATCH per client address and minute', {
    minimum: 1,
    maximum: COUNT_MAX,
    default: DEFAULT_LIMITS.writesByAddress,
  }),
  PUBLIC_READ_LIMIT: integer('public GET per client address and minute', {
    minimum: 1,
    maximum: COUNT_MAX,
    default: DEFAULT_LIMITS.readsByAddress,
  }),
  MAP_QUERY_LIMIT: integer('GET /data with a bbox, a limit or a token, per client address and minute', {
    minimum: 1,
    maximum: COUNT_MAX,
    default: DEFAULT_LIMITS.mapQueries,
  }),
  NEW_PARTICIPANT_LIMIT: integer('unregistered participants, per client address and hour', {
    minimum: 1,
    maximum: COUNT_MAX,
    default: DEFAULT_LIMITS.newParticipants,
  }),
  PAGE_READ_LIMIT: integer(
    'reads that shared caches may keep (GET /activity), per client address and minute',
    {
      minimum: 1,
      maximum: COUNT_MAX,
      default: DEFAULT_LIMITS.pages,
    },
  ),
  SESSION_LIMIT: integer('new devices and failed proofs of sign-ins, per client address and hour', {
    minimum: 1,
    maximum: COUNT_MAX,
    default: DEFAULT_LIMITS.sessions,
  }),
  LOST_LIMIT: integer('reports of lost and found per client address and hour', {
    minimum: 1,
    maximum: COUNT_MAX,
    default: DEFAULT_LIMITS.lostReports,
  }),
  FIND_LIMIT: integer('searches for people per administrator and hour', {
    minimum: 1,
    maximum: COUNT_MAX,
    default: DEFAULT_LIMITS.finds,
  }),
  USER_AUTH: Type.Union([Type.Literal('off'), Type.Literal('line'), Type.Literal('session')], {
    description: USER_AUTH_VALUES,
    default: 'off',
  }),
  LINE_LOGIN_CHANNEL_ID: optional(text('channel of LINE Login that ID tokens are made out for')),
  LINE_LOGIN_CHANNEL_SECRET: optional(text('its secret, with which codes of LINE Login are exchanged')),
  LINE_LOGIN_BASE: text('address of LINE Login', 'https://api.line.me'),
  WEB: toggle('off serves no pages, only the API', 'on'),
  WEB_DIR: optional(text('folder of the built pages; left out, that of apps/web')),
  EVENT_NAME_ZH: text("the event's name in the title of Chinese pages", '白沙屯媽祖進香'),
  EVENT_NAME_EN: text('the same of English pages', 'Baishatun Mazu Pilgrimage'),
  PUBLIC_BASE_URL: optional(
    text('https:// address of the pages, for the pictures that chats show of a link'),
  ),
  BASE_MAP: optional(text('PMTiles file of OpenStreetMap that the map is drawn over (docs/operations.md)')),
  LINE_LOGIN_PAGE: text(
    'address of the page where people sign in to LINE',
    'https://access.line.me/oauth2/v2.1/authorize',
  ),
  LIFF_SDK_URL: text(
    'script that LINE gives pages opened inside it',
    'https://static.line-scdn.net/liff/edge/2/sdk.js',
  ),
  LIFF_URL: optional(text('https://liff.line.me/<id>: pages that LINE opens may then load its script')),
  HOST: text('address that the internal port (/metrics, /ready, /live) listens on', '127.0.0.1'),
  PORT: integer('internal port (0: any free one)', { ...PORT, default: 0 }),
  READY_FILE: optional(text('file that is written with the addresses once the process listens')),
}

/** Variables whose names begin with the brand. */
export { TOKEN_VARIABLES as BRANDED_VARIABLES } from './config/tokens.ts'

type Values = Static<ReturnType<typeof Type.Object<typeof VARIABLES>>>
export type Config = Values & {
  tokens: ReturnType<typeof readTokens>
  publicHosts: string[]
  corsOrigins: string[]
  trustedProxies: string[]
}

/**
 * The gateway's configuration.
 * @throws ConfigurationError with every problem at once
 */
export function readGatewayConfig(env: Environment): Config {
  const { values, problems } = readValues(env)
  const production = env.NODE_ENV === 'production'
  const brand = values?.EVENT_BRAND ?? 'event'
  const tokens = readTokens(env, brand)
  problems.push(...secretProblems({ env, brand, production }))
  if (values) problems.push(...valueProblems(values, env))
  if (!values || problems.length > 0) throw new ConfigurationError(problems)
  return {
    ...values,
    tokens,
    publicHosts: listOf(values.PUBLIC_HOSTS),
    corsOrigins: listOf(values.CORS_ORIGINS),
    trustedProxies: listOf(values.TRUST_PROXY),
  }
}

function readValues(env: Environment): { values: Values | undefined; problems: string[] } {
  try {
    return { values: readConfig(VARIABLES, env), problems: [] }
  } catch (error) {
    if (error instanceof ConfigurationError) return { values: undefined, problems: [...error.problems] }
    throw error
  }
}

const LINE_ADDRESSES = [
  ['LINE_LOGIN_BASE', 'https://api.line.me'],
  ['LINE_LOGIN_PAGE', 'https://access.line.me/oauth2/v2.1/authorize'],
  ['LIFF_SDK_URL', 'https://static.line-scdn.net/liff/edge/2/sdk.js'],
] as const

function valueProblems(values: Values, { NODE_ENV, USER_AUTH: userAuth }: Environment): string[] {
  const production = NODE_ENV === 'production'
  const problems = [
    ...hostProblems(listOf(values.PUBLIC_HOSTS)),
    ...corsOriginProblems(listOf(values.CORS_ORIGINS)),
    ...proxyProblems(listOf(values.TRUST_PROXY)),
  ]
  for (const name of ['TRACKING_URL', 'MAP_URL', 'ENGAGEMENT_URL', 'MEDIA_URL', 'LINE_BOT_URL'] as const)
    if (!parseAddresses(values[name]))
      problems.push(`${name}: expected unix:/path or http://host:port, several by comma`)
  problems.push(
    ...weakSecrets({ NODE_ENV: values.NODE_ENV, PSEUDONYM_SECRET: values.PSEUDONYM_SECRET }, [
      'PSEUDONYM_SECRET',
    ]),
  )
  if (values.USER_AUTH === 'line' && !values.LINE_LOGIN_CHANNEL_ID)
    problems.push(
      'LINE_LOGIN_CHANNEL_ID is missing: with USER_AUTH=line, ID tokens are made out for that channel',
    )
  for (const [name, example] of LINE_ADDRESSES)
    if (!/^https?:$/.test(URL.parse(values[name])?.protocol ?? ''))
      problems.push(`${name}: expected an address like ${example}`)
  if (!values.TRUST_PROXY && !(values.TLS_CERT_FILE && values.TLS_KEY_FILE))
    problems.push(
      'TLS_CERT_FILE and TLS_KEY_FILE are missing: the gateway serves HTTPS, or plain HTTP behind TRUST_PROXY',
    )
  if (production && !userAuth)
    problems.push(`USER_AUTH is missing: production needs one of ${USER_AUTH_VALUES}`)
  if (production && values.RATE_LIMITS === 'off') problems.push('RATE_LIMITS=off is refused in production')
  if (production && listOf(values.PUBLIC_HOSTS).length === 0)
    problems.push('PUBLIC_HOSTS is missing: in production the hosts that clients may name are listed')
  return problems
}
