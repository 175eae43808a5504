import { withDeadline } from '@palanquin/service/deadline'
import type { Log } from '@palanquin/service/log'
import { createMetrics } from '@palanquin/service/metrics'
import type { Redis } from '@palanquin/service/redis'
import { RequestMetrics } from '@palanquin/service/request-metrics'
import { plainJson } from './answer.ts'
import { createApp, type LocalRoute } from './app.ts'
import { adminAuthenticator } from './auth/admin-token.ts'
import { noUserAuth, userAuthenticator } from './auth/id-token.ts'
import { idTokenVerifier, type Verifier } from './auth/verifier.ts'
import type { Config } from './config.ts'
import { healthReader } from './health/health.ts'
import { readinessReader, withoutDetails } from './health/ready.ts'
import { statusReader } from './health/status-client.ts'
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
import { docsRoutes } from './pages/swagger-ui.ts'
import { capacityCheck, forwarder } from './proxy/forward.ts'
import { servicesOf } from './proxy/services.ts'
import { ByteWindows } from './rate-limit/byte-windows.ts'
import { GatewayRegistry } from './rate-limit/gateways.ts'
import { knownParticipants } from './rate-limit/known-participants.ts'
import { Limiter } from './rate-limit/limiter.ts'
import { LocalWindows } from './rate-limit/local-windows.ts'
import { NewParticipants } from './rate-limit/new-participants.ts'
import { noRateLimit, rateLimit } from './rate-limit/rate-limit.ts'
import { RedisWindows } from './rate-limit/redis-windows.ts'
import { type Rules, rulesOf } from './rate-limit/rules.ts'
import { SeenIds } from './rate-limit/seen-ids.ts'
import { Readers } from './readers/readers.ts'
import type { Route } from './route.ts'
import { prefixOf, ROUTES } from './routes.ts'

const PING_DEADLINE_MS = 500

/** Builds the gateway out of its configuration and a Redis client; opens nothing. */
export function assembleGateway({
  config,
  redis,
  log,
  routes: table = ROUTES,
  readers = new Readers(),
  streamAgeMs,
}: {
  config: Config
  redis: Redis
  log: Log
  routes?: readonly Route[]
  readers?: Readers
  streamAgeMs?: number
}) {
  const prefix = prefixOf(config.EVENT_BRAND)
  const verifier = verifierOf(config, log)
  const routes = verifier ? table : table.map((row): Route => ({ ...row, userAuth: 'none' }))
  const rules = rulesOf({
    writesByAddress: config.PUBLIC_WRITE_LIMIT,
    readsByAddress: config.PUBLIC_READ_LIMIT,
    pages: config.PAGE_READ_LIMIT,
    mapQueries: config.MAP_QUERY_LIMIT,
    newParticipants: config.NEW_PARTICIPANT_LIMIT,
  })
  const services = servicesOf(config, { streamAgeMs })
  const windows = new RedisWindows({ redis, log })
  const { own, limiter, gateways, limits } = limitsOf({ config, rules, windows, services, log })
  const ask = statusReader(config.INTERNAL_TOKEN)
  const pingRedis = () => answers(redis)
  const health = healthReader({ ...services, pingRedis, ask })
  const readiness = readinessReader({ services, pingRedis, ask })
  const document = documentReader({
    services,
    ask,
    prefix,
    build: (parts) => openApiDocument({ prefix, routes, rules, parts }),
  })
  const registry = createMetrics('gateway')
  const metrics = new RequestMetrics(registry)
  metrics.expect(routes.map(({ method, path }) => ({ method, route: path })))
  const lag = new EventLoopLag()
  const admission = new Admission(lag)
  const edge = new Responder({ cors: cors(config.corsOrigins), metrics, readers, log })
  gatewayMetrics(registry, {
    services,
    windows,
    own,
    rules,
    limiter,
    lag,
    admission,
    edge,
    readers,
    verifier,
  })
  const gateway = createApp({
    prefix,
    routes,
    local: [...stateRoutes({ health, readiness, document }), ...docsRoutes()],
    edge,
    checks: {
      checkHttps: checkHttps(config.trustedProxies),
      authenticateAdmin: adminAuthenticator({ tokens: config.tokens, limits }),
      authenticateUser: verifier ? userAuthenticator({ verifier, limits }) : noUserAuth,
      limits,
      forward: forwarder({ services, internalToken: config.INTERNAL_TOKEN }),
      admission,
      full: capacityCheck(services),
    },
    isKnownHost: hostCheck({ publicHosts: config.publicHosts, loopback: config.NODE_ENV !== 'production' }),
  })
  const endStreams = () => {
    for (const service of Object.values(services)) service.endStreams()
  }
  return {
    gateway,
    readers,
    services,
    windows,
    gateways,
    eventLoopLag: lag,
    internal: internalRoutes({ metrics, readiness }),
    endStreams,
    leave: () => edge.leave(),
  }
}

/** What counts calls: in Redis for all gateways, and in this process. */
function limitsOf({
  config,
  rules,
  windows,
  services,
  log,
}: {
  config: Config
  rules: Rules
  windows: RedisWindows
  services: ReturnType<typeof servicesOf>
  log: Log
}) {
  const { INTERNAL_TOKEN: internalToken, RATE_LIMITS } = config
  const secret = internalToken
  const own = new LocalWindows()
  const gateways = new GatewayRegistry({ shared: windows, log })
  const shareOf = (limit: number) => gateways.share(limit)
  const limiter = new Limiter({ own, shared: windows, secret, shareOf })
  const newParticipants = new NewParticipants({
    seen: new SeenIds(),
    ask: knownParticipants({ tracking: services.tracking, internalToken, log }),
    take: (subject) => limiter.take(subject),
  })
  const bytes = new ByteWindows({ shared: windows, secret })
  const limits = RATE_LIMITS === 'off' ? noRateLimit : rateLimit({ limiter, bytes, newParticipants, rules })
  return { own, limiter, gateways, limits }
}

function verifierOf(config: Config, log: Log): Verifier | undefined {
  const { USER_AUTH, LINE_LOGIN_BASE: base, LINE_LOGIN_CHANNEL_ID: channelId } = config
  return USER_AUTH === 'line' && channelId !== undefined
    ? idTokenVerifier({ base, channelId, log })
    : undefined
}

function stateRoutes({
  health,
  readiness,
  document,
}: {
  health: ReturnType<typeof healthReader>
  readiness: ReturnType<typeof readinessReader>
  document: ReturnType<typeof documentReader>
}): LocalRoute[] {
  return [
    { path: '/health', answer: async () => plainJson(await health()) },
    {
      path: '/ready',
      answer: async () => {
        const state = withoutDetails(await readiness())
        return state.ok ? plainJson(state) : plainJson(state, 503, { 'retry-after': '1' })
      },
    },
    {
      path: '/openapi.json',
      answer: async (request) => (await document()).answer(request.headers),
    },
  ]
}

const answers = (redis: Redis): Promise<boolean> =>
  withDeadline(redis.ping(), { what: 'Redis', deadlineMs: PING_DEADLINE_MS }).then(
    () => true,
    () => false,
  )
