import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PROJECT_ROOT } from '@palanquin/stack/project'
import { productionSources } from './sources.ts'

/** The tables of docs/operations.md and the alert rules are compared with what the sources register. */
const ALERTS = join(PROJECT_ROOT, 'deploy/prometheus/alerts.yml')
const NAME = /\bpalanquin_[a-z0-9_]+/g

const sources = productionSources()
const registered = new Set(
  sources.flatMap(({ text }) =>
    [...text.matchAll(/name: '(palanquin_[a-z0-9_]+)'/g)].map(([, name = '']) => name),
  ),
)
for (const name of ['palanquin_http_requests_total', 'palanquin_http_request_duration_seconds'])
  registered.add(name)

const rows = readFileSync(join(PROJECT_ROOT, 'docs/operations.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| `palanquin_'))
  .flatMap((line) => [...(line.split('|')[1] ?? '').matchAll(NAME)].map(([name]) => name))

test('docs/operations.md has a row for every metric, and for no other', () => {
  expect(registered.size).toBeGreaterThan(30)
  expect(rows.toSorted()).toEqual([...registered].toSorted())
})

test('counters and histograms are made by the helpers of packages/service, which begin them at 0', () => {
  const others = sources
    .filter(
      ({ file, text }) => !file.startsWith('packages/service/') && /\bnew (?:Counter|Histogram)\(/.test(text),
    )
    .map(({ file }) => file)
  expect(others).toEqual([])
})

type Rule = { alert: string; expr: string; labels: { severity: string }; annotations: { summary: string } }
const { groups } = Bun.YAML.parse(readFileSync(ALERTS, 'utf8')) as { groups: { rules: Rule[] }[] }
const rules = groups.flatMap((group) => group.rules)

test('every alert rule has a name of its own, a severity, a sentence, and asks for metrics that are there', () => {
  expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length)
  for (const { alert, expr, labels, annotations } of rules) {
    expect([alert, ['warning', 'critical'].includes(labels.severity)]).toEqual([alert, true])
    expect(annotations.summary.length).toBeGreaterThan(10)
    const unknown = [...expr.matchAll(NAME)].filter(([name]) => !registered.has(name)).map(([name]) => name)
    expect([alert, unknown]).toEqual([alert, []])
  }
})

const promtool = Bun.which('promtool')
test.skipIf(promtool === null)(
  'promtool takes the alert rules, and they fire when they should (skipped where it is not installed)',
  () => {
    const { exitCode, stdout, stderr } = Bun.spawnSync([promtool ?? '', 'check', 'rules', ALERTS])
    expect([exitCode, stdout.toString() + stderr.toString()]).toEqual([0, expect.stringContaining('SUCCESS')])
    const tried = Bun.spawnSync([promtool ?? '', 'test', 'rules', ALERTS.replace('.yml', '.test.yml')])
    expect([tried.exitCode, tried.stdout.toString()]).toEqual([0, expect.stringContaining('SUCCESS')])
  },
)
