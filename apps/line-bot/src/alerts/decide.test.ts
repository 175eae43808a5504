import { expect, test } from 'bun:test'
import { type AlertState, decide, NO_ALERTS, type Problem } from './decide.ts'

const MINUTE_MS = 60_000

/** The alerts when the health is checked every minute; `problems` gives those of a minute. */
function alertsOver(minutes: number, problems: (minute: number) => Problem[]) {
  const received: [minute: number, what: string][] = []
  let state: AlertState = NO_ALERTS
  for (let minute = 0; minute <= minutes; minute++) {
    const next = decide(state, problems(minute), minute * MINUTE_MS)
    if (!next) continue
    const alert = next.owed?.alert
    received.push([minute, alert?.kind === 'well' ? 'well' : (alert?.problems.join() ?? '')])
    state = next
  }
  return received
}

test('a problem is alerted at once, after 10 and 30 minutes, 1 h, and then every 2 h', () => {
  const minutes = alertsOver(500, () => ['d1']).map(([minute]) => minute)
  expect(minutes).toEqual([0, 10, 40, 100, 220, 340, 460])
})

test('recovery is alerted once, and the next problem at once', () => {
  const received = alertsOver(30, (minute) => (minute < 5 || minute === 20 ? ['kv'] : []))
  expect(received).toEqual([
    [0, 'kv'],
    [5, 'well'],
    [20, 'kv'],
    [21, 'well'],
  ])
})

test('a second problem is alerted at once; one that comes and goes within the incident is not', () => {
  const received = alertsOver(9, (minute) => (minute % 2 === 0 && minute > 2 ? ['d1', 'r2'] : ['d1']))
  expect(received).toEqual([
    [0, 'd1'],
    [4, 'd1,r2'],
  ])
})

test('without problems there is no alert', () => {
  expect(alertsOver(100, () => [])).toEqual([])
})
