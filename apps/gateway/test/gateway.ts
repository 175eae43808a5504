import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Environment } from '@palanquin/service/config'
import { credentialTags } from '@palanquin/service/credential-tags'
import { createLog } from '@palanquin/service/log'
import { createMetrics } from '@palanquin/service/metrics'
import { connectRedis } from '@palanquin/service/redis'
import { until } from '@palanquin/testing/until'
import { assembleGateway } from '../src/assemble.ts'
import { readGatewayConfig } from '../src/config.ts'
import { listen } from '../src/listen.ts'
import type { PhoneAppParts } from '../src/phone-apps/serve.ts'
import type { LimitsDeadlinesMs } from '../src/rate-limit/limits.ts'
import type { Readers } from '../src/readers/readers.ts'
import { ROUTES } from '../src/routes.ts'
import { type ServiceStub, startServiceStub } from './service-stub.ts'

export const CERTIFICATE_FILE = fileURLToPath(new URL('./localhost.cert.pem', import.meta.url))
const KEY_FILE = fileURLToPath(new URL('./localhost.key.pem', import.meta.url))
export const TOKENS = {
  owner: 'owner-token-of-this-test-run-0001',
  manager: 'manager-token-of-this-test-run-02',
  volunteer: 'volunteer-token-of-this-test-run3',
} as const
export const INTERNAL_TOKEN = 'internal-token-of-this-test-run-4'
const PSEUDONYM_SECRET = 'pseudonym-secret-of-this-test-run'
export const TAGS = credentialTags(PSEUDONYM_SECRET)

export type Services = Record<'tracking' | 'map' | 'engagement' | 'media' | 'lineBot', ServiceStub>
export type GatewayInstance = Awaited<ReturnType<typeof startGateway>>

/** A stub for each service, on Unix sockets in their own folder. */
export function startServices(): Services & { close: () => Promise<void> } {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-'))
  const services = {
    tracking: startServiceStub(folder, 'tracking'),
    map: startServiceStub(folder, 'map'),
    engagement: startServiceStub(folder, 'engagement'),
    media: startServiceStub(folder, 'media'),
    lineBot: startServiceStub(folder, 'line-bot'),
  }
  return {
    ...services,
    close: async () => {
      await Promise.all(Object.values(services).map((service) => service.kill()))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export const environment = (services: Services, redisUrl: string): Environment => ({
  NODE_ENV: 'test',
  LOG_LEVEL: 'silent',
  INTERNAL_TOKEN,
  PSEUDONYM_SECRET,
  REDIS_URL: redisUrl,
  TRACKING_URL: services.tracking.url,
  MAP_URL: services.map.url,
  ENGAGEMENT_URL: services.engagement.url,
  MEDIA_URL: services.media.url,
  LINE_BOT_URL: services.lineBot.url,
  PUBLIC_ADDRESS: '127.0.0.1',
  PUBLIC_PORT: '0',
  // Pages have tests of their own, with a build of their own.
  WEB: 'off',
  TLS_CERT_FILE: CERTIFICATE_FILE,
  TLS_KEY_FILE: KEY_FILE,
  EVENT_ADMIN_TOKEN: TOKENS.owner,
  EVENT_MANAGER_TOKEN: TOKENS.manager,
  EVENT_VOLUNTEER_TOKEN: TOKENS.volunteer,
})

export type GatewayOptions = {
  env?: Environment
  /** Replaces every row's own, for tests of what happens after it. */
  deadlineMs?: number
  /** Whether reads are shared, as in production; most tests are about each call by itself. */
  shared?: boolean
  /** How long shared reads stay fresh; longer for tests that read one again. */
  freshMs?: number
  /** Another Redis than the deployment's. */
  redisUrl?: string
  /** With other timeouts or bounds. */
  readers?: Readers
  streamAgeMs?: number
  /** false: nothing but clients calls engagement. */
  followsSessions?: boolean
  /** Longer ones are for tests of what gateways count together. */
  limitsDeadlinesMs?: LimitsDeadlinesMs
  /** Longer ones are for tests that read once how services and Redis are. */
  statusDeadlineMs?: number
  /** Instead of the seconds that an answer is held back. */
  hold?: PhoneAppParts['hold']
}

/** A whole gateway on a free port, in this process, over the given services and Redis. */
export async function startGateway({
  services,
  redisUrl,
  env = {},
  deadlineMs,
  shared = false,
  freshMs,
  followsSessions = true,
  ...options
}: GatewayOptions & { services: Services; redisUrl: string }) {
  const config = readGatewayConfig({ ...environment(services, redisUrl), ...env })
  const log = createLog({ service: 'gateway', level: config.LOG_LEVEL })
  const redis = connectRedis({ url: config.REDIS_URL, name: 'gateway', log })
  const metrics = createMetrics('gateway')
  const {
    app,
    readers,
    services: proxied,
    windows,
    sessions,
    internal,
    endStreams,
  } = assembleGateway({
    config,
    redis,
    log,
    metrics,
    ...options,
    routes: ROUTES.map((row) => ({
      ...row,
      deadlineMs: deadlineMs ?? row.deadlineMs,
      shared: shared && row.shared,
      freshMs: shared && row.freshMs !== undefined ? (freshMs ?? row.freshMs) : undefined,
    })),
  })
  const http = listen({ config, app, internal, readers, onStop: endStreams })
  http.start?.()
  await until(() => redis.isReady, { what: 'the gateway has reached Redis' })
  if (followsSessions) await sessions.start?.()
  const url = http.publicUrl()
  return {
    url,
    port: Number(new URL(url).port),
    redis,
    readers,
    /** The calls and streams in flight of each service. */
    unfinished: () => Object.values(proxied).map(({ inFlight }) => inFlight),
    /** Requests in progress. */
    inFlight: () => app.server?.pendingRequests ?? 0,
    metrics: () => metrics.metrics(),
    call: (path: string, init: BunFetchRequestInit = {}) =>
      fetch(url + path, { redirect: 'manual', ...init, tls: { ca: Bun.file(CERTIFICATE_FILE) } }),
    close: async () => {
      await sessions.stop?.()
      windows.stop()
      await http.stop?.()
      redis.destroy()
    },
  }
}

export const json = (value: unknown, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  body: JSON.stringify(value),
  headers: { 'content-type': 'application/json', ...headers },
})
