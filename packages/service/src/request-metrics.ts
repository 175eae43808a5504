import { Counter, Histogram } from 'prom-client'
import { STATUS_BY_CODE } from './http/api-error.ts'
import type { Metrics } from './metrics.ts'

const BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const BUCKETS_MS = BUCKETS_S.map((boundS) => boundS * 1_000)

/** Every status that is answered: each series is there with 0 from the start. */
const STATUSES = [200, 201, 202, 204, 303, 304, ...Object.values(STATUS_BY_CODE)]

export type RouteName = { method: string; route: string }

type Series = RouteName & { statuses: Map<number, number>; buckets: number[]; sumS: number }

const DURATION = {
  name: 'palanquin_http_request_duration_seconds',
  help: 'time to respond',
  labelNames: ['method', 'route'],
} as const

/** Responses by route and status, counted in plain numbers: prom-client's counters take 0.5 µs. */
export class RequestMetrics {
  readonly #registry: Metrics
  /** By route, then by method. */
  readonly #series = new Map<string, Map<string, Series>>()

  constructor(registry: Metrics) {
    this.#registry = registry
    const all = () => this.#all()
    new Counter({
      name: 'palanquin_http_requests_total',
      help: 'responses by route and status',
      labelNames: ['method', 'route', 'status'],
      registers: [registry],
      collect() {
        this.reset()
        for (const { method, route, statuses } of all())
          for (const [status, count] of statuses) this.inc({ method, route, status }, count)
      },
    })
    new CountedElsewhere(registry, all)
  }

  /** `requests`: how many there were of that status and time. */
  count({
    method,
    route,
    status,
    tookMs,
    requests = 1,
  }: RouteName & { status: number; tookMs: number; requests?: number }): void {
    const series = this.#seriesOf(method, route)
    series.statuses.set(status, (series.statuses.get(status) ?? 0) + requests)
    let bucket = 0
    while (tookMs > (BUCKETS_MS[bucket] ?? Number.POSITIVE_INFINITY)) bucket++
    series.buckets[bucket] = (series.buckets[bucket] ?? 0) + requests
    series.sumS += (requests * tookMs) / 1_000
  }

  /** Routes that can be called: their series are there with 0 before the first request. */
  expect(routes: Iterable<RouteName>): void {
    for (const { method, route } of routes) this.#seriesOf(method, route)
  }

  /** Prometheus text of everything in the registry. */
  async text(): Promise<{ body: string; contentType: string }> {
    return { body: await this.#registry.metrics(), contentType: this.#registry.contentType }
  }

  #seriesOf(method: string, route: string): Series {
    return this.#series.get(route)?.get(method) ?? this.#begin(method, route)
  }

  #begin(method: string, route: string): Series {
    const ofRoute = this.#series.get(route) ?? new Map<string, Series>()
    this.#series.set(route, ofRoute)
    const statuses = new Map(STATUSES.map((status) => [status, 0] as const))
    const buckets = Array.from({ length: BUCKETS_S.length + 1 }, () => 0)
    const series = { method, route, statuses, buckets, sumS: 0 }
    ofRoute.set(method, series)
    return series
  }

  *#all(): Iterable<Series> {
    for (const ofRoute of this.#series.values()) yield* ofRoute.values()
  }
}

/** A histogram whose sums are kept elsewhere: `prom-client` can only observe values one by one. */
class CountedElsewhere extends Histogram<'method' | 'route'> {
  readonly #series: () => Iterable<Series>

  constructor(registry: Metrics, series: () => Iterable<Series>) {
    super({ ...DURATION, registers: [registry], buckets: BUCKETS_S })
    this.#series = series
  }

  /** What the registry writes as text, in the form of `prom-client`'s own histogram. */
  async getForPromString() {
    return {
      name: DURATION.name,
      help: DURATION.help,
      type: 'histogram',
      aggregator: 'sum',
      values: [...this.#values()],
    }
  }

  *#values() {
    for (const { method, route, buckets, sumS } of this.#series()) {
      const sharedLabels = { method, route }
      let total = 0
      for (const [at, count] of buckets.entries()) {
        total += count
        yield {
          metricName: `${DURATION.name}_bucket`,
          labels: { le: BUCKETS_S[at] ?? '+Inf' },
          sharedLabels,
          value: total,
        }
      }
      yield { metricName: `${DURATION.name}_sum`, labels: {}, sharedLabels, value: sumS }
      yield { metricName: `${DURATION.name}_count`, labels: {}, sharedLabels, value: total }
    }
  }
}
