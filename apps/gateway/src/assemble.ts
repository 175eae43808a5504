import { join } from 'node:path'
import { type CredentialTags, credentialTags } from '@palanquin/service/credential-tags'
import { followSettings, withEventSettings } from '@palanquin/service/event-settings'
import type { Log } from '@palanquin/service/log'
import type { Metrics } from '@palanquin/service/metrics'
import type { Redis } from '@palanquin/service/redis'
import { RequestMetrics } from '@palanquin/service/request-metrics'
import { createApp } from './app.ts'
import type { Config } from './config.ts'
import { healthRoutes } from './health/routes.ts'
import { internalRoutes } from './internal-port.ts'
import type { LocalRoute } from './local-route.ts'
import { gatewayMetrics } from './metrics.ts'
import { cors } from './middleware/cors.ts'
import { hostCheck } from './middleware/host.ts'
import { checkHttps } from './middleware/https.ts'
import { LargeBodies } from './middleware/large-bodies.ts'
import { Responder } from './middleware/respond.ts'
import { proofsOf } from './openapi/describe.ts'
import { openApiDocument } from './openapi/document.ts'
import { documentReader } from './openapi/parts.ts'
import { Admission } from './overload/admission.ts'
import { EventLoopLag } from './overload/event-loop-lag.ts'
import { openBaseMap } from './pages/base-map.ts'
import { swaggerUiRoutes } from './pages/swagger-ui.ts'
import { type WebPages, webPages } from './pages/web.ts'
import { deliverer } from './phone-apps/deliver.ts'
import { deliveryJudge } from './phone-apps/judge.ts'
import { phoneAppMetrics } from './phone-apps/metrics.ts'
import { PHONE_APP_PATHS } from './phone-apps/paths.ts'
import { type PhoneAppParts, phoneAppService } from './phone-apps/serve.ts'
import { clientsOf, type ServiceClients } from './proxy/client.ts'
import { capacityCheck, type Forward, forwarder } from './proxy/forward.ts'
import { servicesOf } from './proxy/services.ts'
import { type LimitsDeadlinesMs, limitsOf } from './rate-limit/limits.ts'
import { Readers } from './readers/readers.ts'
import { isAdministrative, type Route } from './route.ts'
import { prefixOf, ROUTES } from './routes.ts'
import { assembleAuth } from './sessions/assemble.ts'

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
  statusDeadlineMs,
  hold,
}: {
  config: Config
  redis: Redis
  log: Log
  metrics: Metrics
  routes?: readonly Route[]
  readers?: Readers
  streamAgeMs?: number
  limitsDeadlinesMs?: LimitsDeadlinesMs | undefined
  /** For tests: how long services and Redis may take to say how they are. */
  statusDeadlineMs?: number | undefined
  /** For tests: waits before an answer that an app must not have at once. */
  hold?: PhoneAppParts['hold']
}) {
  const { INTERNAL_TOKEN: internalToken } = config
  const prefix = prefixOf(config.EVENT_BRAND)
  const settings = followSettings({ redis, log })
  // `USER_AUTH=off`: naming a participant is enough.
  const routes = config.USER_AUTH === 'off' ? table.map(open) : table
  const services = servicesOf(config, { streamAgeMs })
  const { limits, rules, ...counters } = limitsOf({
    config,
    redis,
    tracking: services.tracking,
    log,
    deadlinesMs: limitsDeadlinesMs,
  })
  const clients = clientsOf(services, { internalToken })
  const tags = credentialTags(config.PSEUDONYM_SECRET)
  const pages = pagesOf(withEventSettings(config, settings), prefix, { ...clients, tags })
  const auth = assembleAuth({
    config,
    limits,
    tags,
    log,
    service: services.engagement,
    tracking: services.tracking,
  })
  const health = healthRoutes({ clients, redis, deadlineMs: statusDeadlineMs })
  const proofs = proofsOf({ mode: config.USER_AUTH, hasLine: auth.verifier !== undefined })
  const build = (parts: Parameters<typeof openApiDocument>[0]['parts']) =>
    openApiDocument({ prefix, routes, rules, parts, proofs })
  const document = documentReader({ clients, prefix, build, deadlineMs: statusDeadlineMs })
  const openApi: LocalRoute = {
    path: '/openapi.json',
    respond: async (request) => (await document()).respond(request.headers),
  }
  const requests = new RequestMetrics(metrics)
  requests.expect(routes.map(({ method, path }) => ({ method, route: path })))
  for (const method of ['GET', 'POST'])
    requests.expect(PHONE_APP_PATHS.map(({ route }) => ({ method, route })))
  const lag = new EventLoopLag()
  const admission = new Admission(lag)
  const responder = new Responder({
    cors: cors(config.corsOrigins),
    metrics: requests,
    readers,
    log,
    administrative: new Set(routes.filter(isAdministrative).map(({ method, path }) => `${method} ${path}`)),
  })
  gatewayMetrics(metrics, {
    services,
    rules,
    ...counters,
    lag,
    admission,
    responder,
    readers,
    verifier: auth.verifier,
    sessions: auth.sessions,
  })
  const { forward, prebuiltRead, batchOf } = forwarder({ services, internalToken })
  const https = checkHttps(config.trustedProxies)
  const largeBodies = new LargeBodies()
  const phoneApps = phoneAppService({
    largeBodies,
    checkHttps: https,
    admission,
    judge: deliveryJudge({ limits, deliver: deliverer(services.tracking, internalToken) }),
    tags,
    limits,
    metrics: phoneAppMetrics(metrics),
    hold,
  })
  const app = createApp({
    prefix,
    phoneApps,
    batchOf,
    routes,
    local: [...health.routes, openApi, ...swaggerUiRoutes(), ...(pages?.routes ?? [])],
    ...(pages ? { notFoundPage: pages.notFound } : {}),
    responder,
    checks: {
      checkHttps: https,
      authenticateAdmin: auth.authenticateAdmin,
      authenticateUser: auth.authenticateUser,
      recognise: auth.recognise,
      tags,
      limits,
      forward: answering({ session: auth.handle, service: forward }),
      prebuiltRead,
      admission,
      largeBodies,
      overloaded: capacityCheck(services),
    },
    isKnownHost: hostCheck({ publicHosts: config.publicHosts, loopback: config.NODE_ENV !== 'production' }),
  })
  return {
    app,
    readers,
    services,
    settings,
    windows: counters.windows,
    sessions: auth.following,
    eventLoopLag: lag,
    internal: internalRoutes({ metrics: requests, readiness: health.readiness }),
    /** For the process to stop: ends what would never end by itself, and answers whom it keeps waiting. */
    endStreams: () => {
      for (const service of Object.values(services)) service.endStreams()
      phoneApps.release()
    },
    closeConnections: () => {
      responder.closeConnections()
      phoneApps.release()
    },
  }
}

/** The pages of apps/web, unless `WEB=off`. @throws ConfigurationError when they are not built */
function pagesOf(
  config: Config,
  prefix: string,
  { media, engagement, tags }: Pick<ServiceClients, 'media' | 'engagement'> & { tags: CredentialTags },
): WebPages | undefined {
  if (config.WEB === 'off') return undefined
  const baseMap = config.BASE_MAP === undefined ? undefined : openBaseMap(config.BASE_MAP)
  const facts = () => ({
    eventName: { 'zh-TW': config.EVENT_NAME_ZH, en: config.EVENT_NAME_EN },
    baseUrl: config.PUBLIC_BASE_URL ?? '',
    apiBase: prefix,
    baseMap: baseMap?.path ?? '',
    lineLogin: lineLoginOf(config),
    liffId: liffIdOf(config),
    liffSdk: config.LIFF_URL === undefined ? '' : config.LIFF_SDK_URL,
  })
  const pages = webPages(config.WEB_DIR ?? join(import.meta.dir, '../../web/dist'), facts, {
    liffSdk: config.LIFF_SDK_URL,
    media,
    engagement,
    tags,
  })
  return baseMap ? { ...pages, routes: [...pages.routes, baseMap.route] } : pages
}

/** Codes of LINE Login are exchanged with the channel's secret: without it the sign-in is not offered. */
function lineLoginOf({ LINE_LOGIN_PAGE, LINE_LOGIN_CHANNEL_ID, LINE_LOGIN_CHANNEL_SECRET }: Config): string {
  if (LINE_LOGIN_CHANNEL_ID === undefined || LINE_LOGIN_CHANNEL_SECRET === undefined) return ''
  return `${LINE_LOGIN_PAGE}?${new URLSearchParams({ client_id: LINE_LOGIN_CHANNEL_ID })}`
}

/** The last part of `https://liff.line.me/<id>`. */
const liffIdOf = ({ LIFF_URL }: Config): string =>
  LIFF_URL === undefined ? '' : (URL.parse(LIFF_URL)?.pathname.split('/').findLast(Boolean) ?? '')

const open = (route: Route): Route => (route.userAuth === 'named' ? { ...route, userAuth: 'none' } : route)

/** Each route by its handler. */
const answering =
  (handlers: Readonly<Record<Route['handler'], Forward>>): Forward =>
  (request, checked) =>
    handlers[checked.route.handler](request, checked)
