import { join } from 'node:path'
import type { Log } from '@palanquin/service/log'
import type { Metrics } from '@palanquin/service/metrics'
import type { Redis } from '@palanquin/service/redis'
import { RequestMetrics } from '@palanquin/service/request-metrics'
import { createApp, type LocalRoute } from './app.ts'
import { adminAuthenticator } from './auth/admin-token.ts'
import { noUserAuth, userAuthenticator } from './auth/id-token.ts'
import { idTokenVerifier, type Verifier } from './auth/verifier.ts'
import type { Config } from './config.ts'
import { healthRoutes } from './health/routes.ts'
import { STATUS_DEADLINE_MS } from './health/status.ts'
import { internalRoutes } from './internal-port.ts'
import { gatewayMetrics } from './metrics.ts'
import { cors } from './middleware/cors.ts'
import { hostCheck } from './middleware/host.ts'
import { checkHttps } from './middleware/https.ts'
import { Responder } from './middleware/respond.ts'
import { openApiDocument } from './openapi/document.ts'
import { documentReader } from './openapi/parts.ts'
import { Admission } from './overload/admission.ts'
import { EventLoopLag } from './overload/event-loop-lag.ts'
import { openBaseMap } from './pages/base-map.ts'
import { swaggerUiRoutes } from './pages/swagger-ui.ts'
import { type WebPages, webPages } from './pages/web.ts'
import { clientsOf } from './proxy/client.ts'
import { capacityCheck, forwarder } from './proxy/forward.ts'
import { servicesOf } from './proxy/services.ts'
import { type LimitsDeadlinesMs, limitsOf } from './rate-limit/limits.ts'
import { Readers } from './readers/readers.ts'
import type { Route } from './route.ts'
import { prefixOf, ROUTES } from './routes.ts'

/** Builds the gateway out of its configuration and a Redis client; opens nothing. */
export function assembleGateway({
  config,
  redis,
  log,
  metrics,
  routes: table = ROUTES,
  readers = new Readers(),
  streamAgeMs,
  limitsDeadlinesMs,
}: {
  config: Config
  redis: Redis
  log: Log
  metrics: Metrics
  routes?: readonly Route[]
  readers?: Readers
  streamAgeMs?: number
  limitsDeadlinesMs?: LimitsDeadlinesMs | undefined
}) {
  const { INTERNAL_TOKEN: internalToken } = config
  const prefix = prefixOf(config.EVENT_BRAND)
  const pages = pagesOf(config, prefix)
  const verifier = verifierOf(config, log)
  const routes = verifier ? table : table.map((route): Route => ({ ...route, userAuth: 'none' }))
  const services = servicesOf(config, { streamAgeMs })
  const { limits, rules, ...counters } = limitsOf({
    ...{ config, redis, tracking: services.tracking, log, deadlinesMs: limitsDeadlinesMs },
  })
  const clients = clientsOf(services, { internalToken, deadlineMs: STATUS_DEADLINE_MS })
  const health = healthRoutes({ clients, redis })
  const build = (parts: Parameters<typeof openApiDocument>[0]['parts']) =>
    openApiDocument({ prefix, routes, rules, parts })
  const document = documentReader({ clients, prefix, build })
  const openApi: LocalRoute = {
    path: '/openapi.json',
    respond: async (request) => (await document()).respond(request.headers),
  }
  const requests = new RequestMetrics(metrics)
  requests.expect(routes.map(({ method, path }) => ({ method, route: path })))
  const lag = new EventLoopLag()
  const admission = new Admission(lag)
  const responder = new Responder({ cors: cors(config.corsOrigins), metrics: requests, readers, log })
  gatewayMetrics(metrics, {
    ...{ services, rules, ...counters },
    ...{ lag, admission, responder, readers, verifier },
  })
  const app = createApp({
    prefix,
    routes,
    local: [...health.routes, openApi, ...swaggerUiRoutes(), ...(pages?.routes ?? [])],
    ...(pages ? { notFoundPage: pages.notFound } : {}),
    responder,
    checks: {
      checkHttps: checkHttps(config.trustedProxies),
      authenticateAdmin: adminAuthenticator({ tokens: config.tokens, limits }),
      authenticateUser: verifier ? userAuthenticator({ verifier, limits }) : noUserAuth,
      limits,
      forward: forwarder({ services, internalToken }),
      admission,
      overloaded: capacityCheck(services),
    },
    isKnownHost: hostCheck({ publicHosts: config.publicHosts, loopback: config.NODE_ENV !== 'production' }),
  })
  return {
    app,
    readers,
    services,
    windows: counters.windows,
    registry: counters.registry,
    eventLoopLag: lag,
    internal: internalRoutes({ metrics: requests, readiness: health.readiness }),
    endStreams: () => {
      for (const service of Object.values(services)) service.endStreams()
    },
    closeConnections: () => responder.closeConnections(),
  }
}

/** The pages of apps/web, unless `WEB=off`. @throws ConfigurationError when they are not built */
function pagesOf(config: Config, prefix: string): WebPages | undefined {
  if (config.WEB === 'off') return undefined
  const baseMap = config.BASE_MAP === undefined ? undefined : openBaseMap(config.BASE_MAP)
  const facts = {
    eventName: { 'zh-TW': config.EVENT_NAME_ZH, en: config.EVENT_NAME_EN },
    baseUrl: config.PUBLIC_BASE_URL ?? '',
    apiBase: prefix,
    baseMap: baseMap?.path ?? '',
  }
  const pages = webPages(config.WEB_DIR ?? join(import.meta.dir, '../../web/dist'), facts, {
    hasLiff: config.LIFF_URL !== undefined,
  })
  return baseMap ? { ...pages, routes: [...pages.routes, baseMap.route] } : pages
}

function verifierOf(config: Config, log: Log): Verifier | undefined {
  const { USER_AUTH, LINE_LOGIN_BASE: base, LINE_LOGIN_CHANNEL_ID: channelId } = config
  return USER_AUTH === 'line' && channelId !== undefined
    ? idTokenVerifier({ base, channelId, log })
    : undefined
}
