import type { Metrics } from './metrics.ts'

const BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** A value that is read when somebody asks, by the value of its one label. */
type Gauge = { name: string; help: string; label: string; read: () => Record<string, number> }
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
  readonly #gauges: Gauge[] = []
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

  gauge(gauge: Gauge): void {
    this.#gauges.push(gauge)
  }

  /** Prometheus text of these and of everything in the registry. */
  async text(): Promise<{ body: string; contentType: string }> {
    const body = [
      await this.#registry.metrics(),
      ...this.#counters(),
      ...this.#histograms(),
      ...this.#gaugeLines(),
      '',
    ].join('\n')
    return { body, contentType: this.#registry.contentType }
  }

  #seriesOf(method: string, route: string): Series {
    const key = `${method} ${route}`
    const known = this.#series.get(key)
    if (known) return known
    const buckets = Array.from({ length: BUCKETS_S.length + 1 }, () => 0)
    const series = { method, route, statuses: new Map(), buckets, sumS: 0 }
    this.#series.set(key, series)
    return series
  }

  #counters(): string[] {
    const lines = [
      '# HELP http_requests_total answers by route and status',
      '# TYPE http_requests_total counter',
    ]
    for (const { statuses, ...of } of this.#series.values())
      for (const [status, count] of statuses)
        lines.push(`http_requests_total{${this.#labels(of)},status="${status}"} ${count}`)
    return lines
  }

  #gaugeLines(): string[] {
    return this.#gauges.flatMap(({ name, help, label, read }) => [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} gauge`,
      ...Object.entries(read()).map(
        ([key, value]) => `${name}{service="${this.#service}",${label}="${key}"} ${value}`,
      ),
    ])
  }

  #histograms(): string[] {
    const lines = ['# HELP http_request_seconds time to answer', '# TYPE http_request_seconds histogram']
    for (const { buckets, sumS, ...of } of this.#series.values()) {
      let total = 0
      for (const [index, count] of buckets.entries()) {
        total += count
        lines.push(
          `http_request_seconds_bucket{${this.#labels(of)},le="${BUCKETS_S[index] ?? '+Inf'}"} ${total}`,
        )
      }
      lines.push(
        `http_request_seconds_sum{${this.#labels(of)}} ${sumS}`,
        `http_request_seconds_count{${this.#labels(of)}} ${total}`,
      )
    }
    return lines
  }

  /** Methods and routes are our own words: nothing needs to be escaped. */
  #labels({ method, route }: { method: string; route: string }): string {
    return `service="${this.#service}",method="${method}",route="${route}"`
  }
}
