import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PROJECT_ROOT } from '@palanquin/stack/project'
import { metricTable } from './reference.ts'
import { productionSources } from './sources.ts'

const ALERTS = join(PROJECT_ROOT, 'deploy/prometheus/alerts.yml')
const NAME = /\bpalanquin_[a-z0-9_]+/g

const sources = productionSources()
const listed = new Set(metricTable(sources).match(NAME))

test('every metric that a source names is listed, with its meaning', () => {
  const names = sources.flatMap(({ text }) =>
    [...text.matchAll(/name: '(palanquin_[a-z0-9_]+)'/g)].map(([, name = '']) => name),
  )
  expect(names.length).toBeGreaterThan(50)
  expect(names.filter((name) => !listed.has(name))).toEqual([])
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
    const unknown = [...expr.matchAll(NAME)].filter(([name]) => !listed.has(name)).map(([name]) => name)
    expect([alert, unknown]).toEqual([alert, []])
  }
})

test('the runbook says what to do about every alert', () => {
  const runbook = readFileSync(join(PROJECT_ROOT, 'docs/operations.md'), 'utf8')
  expect(rules.map(({ alert }) => alert).filter((alert) => !runbook.includes(`\`${alert}\``))).toEqual([])
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
