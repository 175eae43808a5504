import { expect, test } from 'bun:test'
import { type AlertState, decide, NO_ALERTS, type Problem } from './decide.ts'

const MINUTE_MS = 60_000

/** What is told when the house is looked at every minute; `problems` says how it is at a minute. */
function tellings(minutes: number, problems: (minute: number) => Problem[]) {
  const heard: [minute: number, what: string][] = []
  let told: AlertState = NO_ALERTS
  for (let minute = 0; minute <= minutes; minute++) {
    const next = decide(told, problems(minute), minute * MINUTE_MS)
    if (!next) continue
    const alert = next.owed?.alert
    heard.push([minute, alert?.kind === 'well' ? 'well' : (alert?.problems.join() ?? '')])
    told = next
  }
  return heard
}

test('trouble is told at once, after 10 and 30 minutes, 1 h, and then every 2 h', () => {
  const minutes = tellings(500, () => ['d1']).map(([minute]) => minute)
  expect(minutes).toEqual([0, 10, 40, 100, 220, 340, 460])
})

test('the end of it is told once, and the next trouble at once', () => {
  const heard = tellings(30, (minute) => (minute < 5 || minute === 20 ? ['kv'] : []))
  expect(heard).toEqual([
    [0, 'kv'],
    [5, 'well'],
    [20, 'kv'],
    [21, 'well'],
  ])
})

test('a second problem is told at once; one that comes and goes within the trouble is not', () => {
  const heard = tellings(9, (minute) => (minute % 2 === 0 && minute > 2 ? ['d1', 'r2'] : ['d1']))
  expect(heard).toEqual([
    [0, 'd1'],
    [4, 'd1,r2'],
  ])
})

test('as long as all is well nothing is told', () => {
  expect(tellings(100, () => [])).toEqual([])
})
