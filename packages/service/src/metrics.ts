import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { buildOf } from './build.ts'

export type Metrics = Registry

/** Each sample wakes the process up: at prom-client's 10 ms an idle one never sleeps. */
const LAG_SAMPLE_MS = 200

/** Every metric of ours; those of the runtime keep the names that prom-client gives them everywhere. */
type OwnName = `palanquin_${string}`
/** For each label every value that it takes. */
export type Labels = Readonly<Record<string, readonly string[]>>
type Label<L extends Labels> = Extract<keyof L, string>

/** One registry a process, with the runtime's own figures and what runs. */
export function createMetrics(service: string, env = process.env): Metrics {
  const registry = new Registry()
  registry.setDefaultLabels({ service })
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LAG_SAMPLE_MS })
  const build = buildOf(env)
  new Gauge({
    name: 'palanquin_build_info',
    help: 'version and commit of what runs; always 1',
    labelNames: ['version', 'commit'],
    registers: [registry],
  }).set(build, 1)
  return registry
}

/** A counter whose series start at 0, so that Prometheus sees the first increase. */
export function counter<const L extends Labels = Record<never, never>>(
  registry: Metrics,
  { name, help, labels }: { name: `${OwnName}_total`; help: string; labels?: L },
): Counter<Label<L>> {
  const known = registry.getSingleMetric(name)
  const made: Counter<Label<L>> =
    known instanceof Counter
      ? known
      : new Counter({ name, help, labelNames: namesOf(labels), registers: [registry] })
  for (const series of combinationsOf(labels)) made.inc(series, 0)
  return made
}

/** A figure that is read at each scrape; with a label, one series for each of its values. */
type Reading<Name extends string> = { name: Name; help: string } & (
  | { label: string; read: () => Readonly<Record<string, number>> }
  | { label?: never; read: () => Promise<number | null> | number | null }
)

/** A gauge that is read at each scrape; null leaves it as it was. */
export function readGauge(registry: Metrics, reading: Reading<OwnName>): void {
  const { name, help, label } = reading
  new Gauge({
    name,
    help,
    labelNames: label === undefined ? [] : [label],
    registers: [registry],
    async collect() {
      for (const [labels, value] of await seriesOf(reading)) this.set(labels, value)
    },
  })
}

/** A counter that is read at each scrape: what it counts is kept elsewhere, and only grows. */
export function readCounter(registry: Metrics, reading: Reading<`${OwnName}_total`>): void {
  const { name, help, label } = reading
  new Counter({
    name,
    help,
    labelNames: label === undefined ? [] : [label],
    registers: [registry],
    async collect() {
      const series = await seriesOf(reading)
      this.reset()
      for (const [labels, value] of series) this.inc(labels, value)
    },
  })
}

async function seriesOf(reading: Reading<string>): Promise<[Record<string, string>, number][]> {
  const { label } = reading
  if (label !== undefined)
    return Object.entries(reading.read()).map(([key, value]) => [{ [label]: key }, value])
  const value = await reading.read()
  return value === null ? [] : [[{}, value]]
}

/** A histogram in base units, whose every series is there from the start. */
export function histogram<const L extends Labels = Record<never, never>>(
  registry: Metrics,
  {
    name,
    help,
    buckets,
    labels,
  }: { name: `${OwnName}_${'seconds' | 'bytes'}`; help: string; buckets: readonly number[]; labels?: L },
): Histogram<Label<L>> {
  const made = new Histogram<Label<L>>({
    name,
    help,
    labelNames: namesOf(labels),
    registers: [registry],
    buckets: [...buckets],
  })
  for (const series of combinationsOf(labels)) made.zero(series)
  return made
}

const isLabelOf =
  <L extends Labels>(labels: L) =>
  (name: string): name is Label<L> =>
    name in labels

const namesOf = <L extends Labels>(labels: L | undefined): Label<L>[] =>
  labels ? Object.keys(labels).filter(isLabelOf(labels)) : []

/** Every way to choose one value for each label; one empty choice where there are no labels. */
function combinationsOf<L extends Labels>(labels: L | undefined): Partial<Record<Label<L>, string>>[] {
  let found: Partial<Record<Label<L>, string>>[] = [{}]
  for (const name of namesOf(labels))
    found = found.flatMap((before) => (labels?.[name] ?? []).map((value) => ({ ...before, [name]: value })))
  return found
}
