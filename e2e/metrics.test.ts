import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PROJECT_ROOT } from '@palanquin/stack/project'
import { startThrowawayStack, type ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'

let stack: ThrowawayStack
/** The metrics text of each service, by its name without the number of the copy. */
const texts = new Map<string, string>()
beforeAll(async () => {
  stack = await startThrowawayStack({ LINE: 'stub' })
  for (const [name, { metricsUrl }] of Object.entries(stack.running().services))
    texts.set(name.replace(/-\d+$/, ''), await (await fetch(metricsUrl)).text())
})
afterAll(() => stack.close())

/** The rows of what each service should have. */
const rows = readFileSync(join(PROJECT_ROOT, 'docs/reference/metrics.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| `palanquin_'))
  .map((line) => line.replaceAll('`', '').split(' | '))
  .map(([name = '', , of = '']) => ({ name: name.replace('| ', ''), of }))
const namesOf = (...places: string[]) => rows.filter(({ of }) => places.includes(of)).map(({ name }) => name)
/** Those of the event bus are where something is published or consumed. */
const ofTheBus = namesOf('events')

test('each service has the documented metrics, and no others of ours', () => {
  expect([...texts.keys()].sort()).toEqual(['engagement', 'gateway', 'line-bot', 'map', 'media', 'tracking'])
  for (const [service, text] of texts) {
    const shown = [...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name = '']) => name)
    expect(new Set(shown).size).toBe(shown.length)
    expect(shown.filter((name) => !/^(?:palanquin|process|nodejs)_/.test(name))).toEqual([])
    const ours = shown.filter((name) => name.startsWith('palanquin_') && !ofTheBus.includes(name))
    expect([service, ...ours.sort()]).toEqual([service, ...namesOf('all', service).sort()])
  }
  const shownAnywhere = [...texts.values()].join('\n')
  expect(ofTheBus.filter((name) => !shownAnywhere.includes(`# TYPE ${name} `))).toEqual([])
})

test('every failure counter starts at 0, so that its first failure is an increase', () => {
  const born: [string, RegExp][] = [
    ['engagement', /^palanquin_dead_letters_total\{stream="events",group="engagement",.*\} 0$/m],
    ['media', /^palanquin_dead_letters_total\{stream="events",group="media",.*\} 0$/m],
    ['line-bot', /^palanquin_dead_letters_total\{stream="inbox",.*\} 0$/m],
    ['line-bot', /^palanquin_outbox_failures_total\{schema="line",.*\} 0$/m],
    ['tracking', /^palanquin_flush_failures_total\{.*\} 0$/m],
    ['tracking', /^palanquin_journal_replayed_total\{.*\} 0$/m],
    ['gateway', /^palanquin_gateway_shed_total\{.*priority="critical"[^}]*\} 0$/m],
    ['gateway', /^palanquin_gateway_rate_limited_total\{.*rule="checkin"[^}]*\} 0$/m],
    ['gateway', /^palanquin_gateway_refusals_total\{.*reason="bug"[^}]*\} 0$/m],
    ['gateway', /^palanquin_http_requests_total\{.*method="POST",route="\/checkin",status="503"[^}]*\} 0$/m],
    ['tracking', /^palanquin_http_requests_total\{.*route="\/track\/sync",status="500"[^}]*\} 0$/m],
  ]
  for (const [service, line] of born)
    expect([service, line.source, line.test(texts.get(service) ?? '')]).toEqual([service, line.source, true])
})

test('each service reports its version and commit', () => {
  for (const [service, text] of texts)
    expect(text).toMatch(
      new RegExp(
        `^palanquin_build_info\\{version="\\d+\\.\\d+\\.\\d+",commit="[^"]+",service="${service}"\\} 1$`,
        'm',
      ),
    )
})
