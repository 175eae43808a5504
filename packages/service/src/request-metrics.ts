import { STATUS_BY_CODE } from './http/api-error.ts'
import type { Metrics } from './metrics.ts'

const BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Every status that a service or the gateway answers with: each series is there with 0 before the first of its kind. */
const STATUSES = [200, 201, 202, 204, 303, 304, ...Object.values(STATUS_BY_CODE)]

/** A value that is read when somebody asks; with a label one for each of its values. */
type Reading<Name extends string = `palanquin_${string}`> = { name: Name; help: string } & (
  | { label: string; read: () => Readonly<Record<string, number>> }
  | { label?: never; read: () => number }
)
type Kind = 'gauge' | 'counter'
export type RouteName = { method: string; route: string }
type Series = {
  method: string
  route: string
  statuses: Map<number, number>
  buckets: number[]
  sumS: number
}

/**
 * Answers by route and status, and how long they took, under the names that every service uses. Counted in plain
 * numbers and written as Prometheus text when somebody asks: the registry's own counters cost more than a check.
 */
export class RequestMetrics {
  readonly #series = new Map<string, Series>()
  readonly #readings: (Reading & { kind: Kind })[] = []
  readonly #registry: Metrics
  readonly #service: string

  constructor({ registry, service }: { registry: Metrics; service: string }) {
    this.#registry = registry
    this.#service = service
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
    const series = this.#seriesOf(method, route)
    series.statuses.set(status, (series.statuses.get(status) ?? 0) + 1)
    const bucket = BUCKETS_S.findIndex((boundS) => tookMs <= boundS * 1_000)
    const index = bucket === -1 ? BUCKETS_S.length : bucket
    series.buckets[index] = (series.buckets[index] ?? 0) + 1
    series.sumS += tookMs / 1_000
  }

  /** A value that goes up and down. */
  gauge(gauge: Reading): void {
    this.#readings.push({ ...gauge, kind: 'gauge' })
  }

  /** A value that only grows; `read` gives every series, also those that are 0. */
  counter(counter: Reading<`palanquin_${string}_total`>): void {
    this.#readings.push({ ...counter, kind: 'counter' })
  }

  /** Routes that can be asked for: their series are there with 0 before the first request. */
  expect(routes: Iterable<RouteName>): void {
    for (const { method, route } of routes) this.#seriesOf(method, route)
  }

  /** Prometheus text of these and of everything in the registry. */
  async text(): Promise<{ body: string; contentType: string }> {
    const body = [
      await this.#registry.metrics(),
      ...this.#counters(),
      ...this.#histograms(),
      ...this.#readingLines(),
      '',
    ].join('\n')
    return { body, contentType: this.#registry.contentType }
  }

  #seriesOf(method: string, route: string): Series {
    const key = `${method} ${route}`
    const known = this.#series.get(key)
    if (known) return known
    const buckets = Array.from({ length: BUCKETS_S.length + 1 }, () => 0)
    const statuses = new Map(STATUSES.map((status): [number, number] => [status, 0]))
    const series = { method, route, statuses, buckets, sumS: 0 }
    this.#series.set(key, series)
    return series
  }

  #counters(): string[] {
    const lines = [
      '# HELP palanquin_http_requests_total answers by route and status',
      '# TYPE palanquin_http_requests_total counter',
    ]
    for (const { statuses, ...of } of this.#series.values())
      for (const [status, count] of statuses)
        lines.push(`palanquin_http_requests_total{${this.#labels(of)},status="${status}"} ${count}`)
    return lines
  }

  #readingLines(): string[] {
    return this.#readings.flatMap((reading) => [
      `# HELP ${reading.name} ${reading.help}`,
      `# TYPE ${reading.name} ${reading.kind}`,
      ...seriesOf(reading).map(
        ([label, value]) => `${reading.name}{service="${this.#service}"${label}} ${value}`,
      ),
    ])
  }

  #histograms(): string[] {
    const lines = [
      '# HELP palanquin_http_request_duration_seconds time to answer',
      '# TYPE palanquin_http_request_duration_seconds histogram',
    ]
    for (const { buckets, sumS, ...of } of this.#series.values()) {
      let total = 0
      for (const [index, count] of buckets.entries()) {
        total += count
        lines.push(
          `palanquin_http_request_duration_seconds_bucket{${this.#labels(of)},le="${BUCKETS_S[index] ?? '+Inf'}"} ${total}`,
        )
      }
      lines.push(
        `palanquin_http_request_duration_seconds_sum{${this.#labels(of)}} ${sumS}`,
        `palanquin_http_request_duration_seconds_count{${this.#labels(of)}} ${total}`,
      )
    }
    return lines
  }

  /** Methods and routes are our own words: nothing needs to be escaped. */
  #labels({ method, route }: { method: string; route: string }): string {
    return `service="${this.#service}",method="${method}",route="${route}"`
  }
}

const seriesOf = ({ label, read }: Reading): [string, number][] =>
  label === undefined
    ? [['', read()]]
    : Object.entries(read()).map(([key, value]) => [`,${label}="${key}"`, value])
