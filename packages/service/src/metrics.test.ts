import { expect, test } from 'bun:test'
import { Counter, Histogram, Registry } from 'prom-client'
import { counter, createMetrics, histogram, readCounter, readGauge } from './metrics.ts'
import { RequestMetrics } from './request-metrics.ts'

const read = async (registry: ReturnType<typeof createMetrics>) => (await registry.metrics()).split('\n')

test('every series of a counter is there with 0 before it is counted', async () => {
  const registry = createMetrics('test')
  const made = counter(registry, {
    name: 'palanquin_letters_total',
    help: 'letters',
    labels: { kind: ['plain', 'dead'], to: ['here', 'there'] },
  })
  counter(registry, { name: 'palanquin_alone_total', help: 'without labels' })
  const born = (await read(registry)).filter((line) => line.startsWith('palanquin_letters_total{'))
  expect(born.map((line) => line.replace(',service="test"', '')).sort()).toEqual([
    'palanquin_letters_total{kind="dead",to="here"} 0',
    'palanquin_letters_total{kind="dead",to="there"} 0',
    'palanquin_letters_total{kind="plain",to="here"} 0',
    'palanquin_letters_total{kind="plain",to="there"} 0',
  ])
  expect(await read(registry)).toContain('palanquin_alone_total{service="test"} 0')
  made.inc({ kind: 'dead', to: 'there' })
  expect(await read(registry)).toContain('palanquin_letters_total{kind="dead",to="there",service="test"} 1')
})

test('modules of one process add their series to one counter', async () => {
  const registry = createMetrics('test')
  for (const stream of ['events', 'inbox'])
    counter(registry, { name: 'palanquin_shared_total', help: 'shared', labels: { stream: [stream] } })
  const lines = (await read(registry)).filter((line) => line.startsWith('palanquin_shared_total{'))
  expect(lines).toEqual([
    'palanquin_shared_total{stream="events",service="test"} 0',
    'palanquin_shared_total{stream="inbox",service="test"} 0',
  ])
})

test('a histogram has its buckets from the start', async () => {
  const registry = createMetrics('test')
  histogram(registry, {
    name: 'palanquin_work_seconds',
    help: 'work',
    labels: { outcome: ['done'] },
    buckets: [1],
  })
  const lines = await read(registry)
  expect(lines).toContain('palanquin_work_seconds_count{service="test",outcome="done"} 0')
})

test('what is read at a scrape shows what is there now, and what cannot be read stays as it was', async () => {
  const registry = createMetrics('test')
  let level: number | null = 3
  const refused = { late: 1, full: 0 }
  readGauge(registry, { name: 'palanquin_level', help: 'a level', read: async () => level })
  readCounter(registry, {
    name: 'palanquin_refused_total',
    help: 'refused',
    label: 'reason',
    read: () => refused,
  })
  const own = async () => (await read(registry)).filter((line) => /^palanquin_(level|refused)/.test(line))
  expect(await own()).toEqual([
    'palanquin_level{service="test"} 3',
    'palanquin_refused_total{reason="late",service="test"} 1',
    'palanquin_refused_total{reason="full",service="test"} 0',
  ])
  refused.late = 5
  level = null
  expect(await own()).toEqual([
    'palanquin_level{service="test"} 3',
    'palanquin_refused_total{reason="late",service="test"} 5',
    'palanquin_refused_total{reason="full",service="test"} 0',
  ])
})

test('it says which version and commit run', async () => {
  const lines = await read(createMetrics('test', { BUILD_COMMIT: 'abc123' }))
  expect(lines).toContain('palanquin_build_info{version="1.0.0",commit="abc123",service="test"} 1')
  expect(await read(createMetrics('test', {}))).toContain(
    'palanquin_build_info{version="1.0.0",commit="unknown",service="test"} 1',
  )
})

test('a route that was never called has each status with 0, and its time as well', async () => {
  const metrics = new RequestMetrics(createMetrics('test'))
  metrics.expect([{ method: 'POST', route: '/checkin' }])
  metrics.count({ method: 'POST', route: '/checkin', status: 202, tookMs: 3 })
  const { body } = await metrics.text()
  const route = 'method="POST",route="/checkin"'
  for (const [status, count] of [
    ['202', 1],
    ['429', 0],
    ['500', 0],
    ['503', 0],
  ])
    expect(body).toContain(
      `palanquin_http_requests_total{${route},status="${status}",service="test"} ${count}`,
    )
  expect(body).toContain(`palanquin_http_request_duration_seconds_count{service="test",${route}} 1`)
})

test('requests are reported as counters and histograms of prom-client would report them, at every scrape', async () => {
  const metrics = new RequestMetrics(createMetrics('test'))
  const registry = new Registry()
  registry.setDefaultLabels({ service: 'test' })
  const registers = [registry]
  const labelNames = ['method', 'route']
  const responses = new Counter({
    name: 'palanquin_http_requests_total',
    help: 'responses by route and status',
    registers,
    labelNames: [...labelNames, 'status'],
  })
  const seconds = new Histogram({
    name: 'palanquin_http_request_duration_seconds',
    help: 'time to respond',
    registers,
    labelNames,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  })
  const own = (text: string) =>
    text.split('\n').filter((line) => /palanquin_http_request/.test(line) && !/status="\d+".* 0$/.test(line))
  for (const scrape of [1, 2]) {
    for (const [at, tookMs] of [0, 1, 1.5, 2.5, 7, 10_000, 10_001, 1e6].entries()) {
      const labels = { method: at % 2 ? 'POST' : 'GET', route: at % 3 ? '/checkin' : '/data' }
      const status = at % 5 ? 200 : 418
      metrics.count({ ...labels, status, tookMs: tookMs * scrape })
      responses.inc({ ...labels, status })
      seconds.observe(labels, (tookMs * scrape) / 1_000)
    }
    const reported = own((await metrics.text()).body)
    expect(reported.length).toBeGreaterThan(4 * 16)
    expect(reported.toSorted()).toEqual(own(await registry.metrics()).toSorted())
  }
})
