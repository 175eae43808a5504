import { Counter, Histogram } from 'prom-client'
import { STATUS_BY_CODE } from './http/api-error.ts'
import type { Metrics } from './metrics.ts'

const BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Every status that a service or the gateway answers with: each series is there with 0 before the first of its kind. */
const STATUSES = [200, 201, 202, 204, 303, 304, ...Object.values(STATUS_BY_CODE)]

export type RouteName = { method: string; route: string }

/** Responses by route and status, and how long they took, under the names that every service uses. */
export class RequestMetrics {
  readonly #registry: Metrics
  readonly #responses: Counter<'method' | 'route' | 'status'>
  readonly #seconds: Histogram<'method' | 'route'>
  readonly #known = new Set<string>()

  constructor(registry: Metrics) {
    this.#registry = registry
    this.#responses = new Counter({
      name: 'palanquin_http_requests_total',
      help: 'responses by route and status',
      labelNames: ['method', 'route', 'status'],
      registers: [registry],
    })
    this.#seconds = new Histogram({
      name: 'palanquin_http_request_duration_seconds',
      help: 'time to respond',
      labelNames: ['method', 'route'],
      buckets: BUCKETS_S,
      registers: [registry],
    })
  }

  count({
    method,
    route,
    status,
    tookMs,
  }: {
    method: string
    route: string
    status: number
    tookMs: number
  }): void {
    this.#expect({ method, route })
    this.#responses.inc({ method, route, status })
    this.#seconds.observe({ method, route }, tookMs / 1_000)
  }

  /** Routes that can be called: their series are there with 0 before the first request. */
  expect(routes: Iterable<RouteName>): void {
    for (const { method, route } of routes) this.#expect({ method, route })
  }

  /** Prometheus text of everything in the registry. */
  async text(): Promise<{ body: string; contentType: string }> {
    return { body: await this.#registry.metrics(), contentType: this.#registry.contentType }
  }

  #expect({ method, route }: RouteName): void {
    const key = `${method} ${route}`
    if (this.#known.has(key)) return
    this.#known.add(key)
    for (const status of STATUSES) this.#responses.inc({ method, route, status }, 0)
    this.#seconds.zero({ method, route })
  }
}
