import { type Metrics, readCounter, readGauge } from '@palanquin/service/metrics'
import type { Verifier } from './auth/verifier.ts'
import type { Responder } from './middleware/respond.ts'
import type { Admission } from './overload/admission.ts'
import type { Service } from './proxy/service.ts'
import type { Limiter } from './rate-limit/limiter.ts'
import type { LocalWindows } from './rate-limit/local-windows.ts'
import type { RedisWindows } from './rate-limit/redis-windows.ts'
import type { Rules } from './rate-limit/rules.ts'
import type { Readers } from './readers/readers.ts'

type Parts = {
  services: Readonly<Record<string, Service>>
  windows: Pick<RedisWindows, 'away'>
  own: Pick<LocalWindows, 'size'>
  rules: Rules
  limiter: Pick<Limiter, 'refused'>
  lag: { readonly lagMs: number }
  admission: Pick<Admission, 'shed' | 'requests'>
  edge: Pick<Responder, 'refused'>
  readers: Pick<Readers, 'count' | 'unreadBytes' | 'letGo'>
  verifier: Verifier | undefined
}

/** What operators watch of the gateway, besides its requests. */
export function gatewayMetrics(registry: Metrics, parts: Parts): void {
  const { services, windows, own, rules, limiter, lag, admission, edge, readers, verifier } = parts
  readGauge(registry, {
    name: 'palanquin_gateway_upstream_requests_in_flight',
    help: 'calls and event streams that a service has not finished',
    label: 'to',
    read: () =>
      Object.fromEntries(
        Object.entries(services).map(([name, { underWay }]) => [name, underWay.calls + underWay.streams]),
      ),
  })
  readGauge(registry, {
    name: 'palanquin_gateway_requests_in_flight',
    help: 'requests that were let in and are not answered',
    read: () => admission.requests,
  })
  readGauge(registry, {
    name: 'palanquin_gateway_event_loop_lag_seconds',
    help: 'how far the event loop lags behind, the least of half a second',
    read: () => lag.lagMs / 1_000,
  })
  readCounter(registry, {
    name: 'palanquin_gateway_refusals_total',
    help: 'requests that were refused, by reason',
    label: 'reason',
    read: () => edge.refused,
  })
  readCounter(registry, {
    name: 'palanquin_gateway_shed_total',
    help: 'requests turned away because there were too many, by priority',
    label: 'priority',
    read: () => admission.shed,
  })
  readCounter(registry, {
    name: 'palanquin_gateway_rate_limited_total',
    help: 'requests that a rate limit refused, by rule',
    label: 'rule',
    read: () => ({ ...Object.fromEntries(Object.keys(rules).map((name) => [name, 0])), ...limiter.refused }),
  })
  readGauge(registry, {
    name: 'palanquin_gateway_rate_limit_keys',
    help: 'keys in the own memory of the rate limits',
    read: () => own.size,
  })
  readGauge(registry, {
    name: 'palanquin_gateway_rate_limits_local',
    help: '1 while Redis is away and each gateway counts by itself, else 0',
    read: () => (windows.away ? 1 : 0),
  })
  readGauge(registry, {
    name: 'palanquin_gateway_unread_bytes',
    help: 'bytes of large answers in memory that clients have not read',
    read: () => readers.unreadBytes,
  })
  readGauge(registry, {
    name: 'palanquin_gateway_readers',
    help: 'clients that read a large answer or follow an event stream',
    read: () => readers.count,
  })
  readCounter(registry, {
    name: 'palanquin_gateway_readers_let_go_total',
    help: 'large answers closed because their client stalled or memory was needed, or refused for what its address has not read',
    label: 'reason',
    read: () => readers.letGo,
  })
  if (verifier)
    readGauge(registry, {
      name: 'palanquin_gateway_id_tokens',
      help: 'ID tokens whose verdict is held in memory',
      label: 'verdict',
      read: () => verifier.cache.size,
    })
}
