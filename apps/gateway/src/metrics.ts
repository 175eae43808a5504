import { type Metrics, readCounter, readGauge } from '@palanquin/service/metrics'
import type { Verifier } from './auth/verifier.ts'
import type { Responder } from './middleware/respond.ts'
import type { Admission } from './overload/admission.ts'
import type { Service } from './proxy/service.ts'
import type { Limiter } from './rate-limit/limiter.ts'
import type { Rules } from './rate-limit/rules.ts'
import type { Windows } from './rate-limit/windows.ts'
import type { Readers } from './readers/readers.ts'
import type { Sessions } from './sessions/sessions.ts'

type Parts = {
  services: Readonly<Record<string, Service>>
  windows: Pick<Windows, 'away' | 'size'>
  rules: Rules
  limiter: Pick<Limiter, 'refused'>
  lag: { readonly lagMs: number }
  admission: Pick<Admission, 'shed' | 'requests'>
  responder: Pick<Responder, 'refused'>
  readers: Pick<Readers, 'count' | 'unreadBytes' | 'dropped'>
  verifier: Verifier | undefined
  sessions: Pick<Sessions, 'size'>
}

/** The metrics of the gateway, besides those of its requests. */
export function gatewayMetrics(registry: Metrics, parts: Parts): void {
  const { services, windows, rules, limiter, lag, admission, responder, readers, verifier, sessions } = parts
  readGauge(registry, {
    name: 'palanquin_gateway_upstream_requests_in_flight',
    help: 'calls and event streams of a service in progress',
    label: 'to',
    read: () =>
      Object.fromEntries(
        Object.entries(services).map(([name, { inFlight }]) => [name, inFlight.calls + inFlight.streams]),
      ),
  })
  readGauge(registry, {
    name: 'palanquin_gateway_requests_in_flight',
    help: 'requests admitted and not yet answered',
    read: () => admission.requests,
  })
  readGauge(registry, {
    name: 'palanquin_gateway_event_loop_lag_seconds',
    help: 'event-loop lag, the least of half a second',
    read: () => lag.lagMs / 1_000,
  })
  readCounter(registry, {
    name: 'palanquin_gateway_refusals_total',
    help: 'rejected requests, by error code',
    label: 'reason',
    read: () => responder.refused,
  })
  readCounter(registry, {
    name: 'palanquin_gateway_shed_total',
    help: 'requests rejected because of overload, by priority',
    label: 'priority',
    read: () => admission.shed,
  })
  readCounter(registry, {
    name: 'palanquin_gateway_rate_limited_total',
    help: 'requests rejected by a rate limit, by rule',
    label: 'rule',
    read: () => ({ ...Object.fromEntries(Object.keys(rules).map((name) => [name, 0])), ...limiter.refused }),
  })
  readGauge(registry, {
    name: 'palanquin_gateway_rate_limit_keys',
    help: 'rate-limit windows in the memory of this process, where they are while Redis is away',
    read: () => windows.size,
  })
  readGauge(registry, {
    name: 'palanquin_gateway_rate_limits_local',
    help: '1 while Redis is away and this gateway counts rate limits in its memory, else 0',
    read: () => (windows.away ? 1 : 0),
  })
  readGauge(registry, {
    name: 'palanquin_gateway_unread_bytes',
    help: 'bytes of large responses that clients have not read',
    read: () => readers.unreadBytes,
  })
  readGauge(registry, {
    name: 'palanquin_gateway_readers',
    help: 'clients reading a large response or an event stream',
    read: () => readers.count,
  })
  readCounter(registry, {
    name: 'palanquin_gateway_readers_let_go_total',
    help: 'large responses closed because their client stalled or memory was needed, or refused because its address has too much unread',
    label: 'reason',
    read: () => readers.dropped,
  })
  readGauge(registry, {
    name: 'palanquin_gateway_sessions',
    help: 'sessions that are known without a look-up',
    read: () => sessions.size,
  })
  if (verifier)
    readGauge(registry, {
      name: 'palanquin_gateway_id_tokens',
      help: 'cached ID tokens, by verdict',
      label: 'verdict',
      read: () => verifier.cache.size,
    })
}
