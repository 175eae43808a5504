import { expect, test } from 'bun:test'
import { capturedLog } from '@palanquin/testing/captured-log'
import { requestLog } from './request-log.ts'

const CHECKIN = { requestId: 'r-1', route: '/checkin', method: 'POST', status: 202, ms: 1.5 }

/** The lines of `info` and above that requests leave. */
function logged(work: (log: ReturnType<typeof requestLog>) => void) {
  const { log, lines } = capturedLog()
  work(requestLog(log))
  return lines.filter(({ level }) => level !== 'debug')
}

test('a thousand successful requests leave no line; at the level debug each leaves one', () => {
  const { log, lines } = capturedLog()
  const logRequest = requestLog(log)
  for (let n = 0; n < 1_000; n++) logRequest(CHECKIN)
  expect(lines.filter(({ level }) => level !== 'debug')).toEqual([])
  expect(lines).toHaveLength(1_000)
})

test('a failure is a warning; a refusal, a slow and an administrative request are information', () => {
  const lines = logged((log) => {
    for (const status of [500, 503, 501, 429, 403]) log({ ...CHECKIN, status })
    log({ ...CHECKIN, ms: 2_500 })
    log({ ...CHECKIN, route: '/admin/status', status: 200 }, true)
  })
  expect(lines.map(({ level, status }) => [level, status])).toEqual([
    ['warn', 500],
    ['warn', 503],
    ['info', 501],
    ['info', 429],
    ['info', 403],
    ['info', 202],
    ['info', 200],
  ])
  expect(lines[0]).toEqual({
    level: 'warn',
    time: expect.any(Number),
    requestId: 'r-1',
    route: '/checkin',
    method: 'POST',
    status: 500,
    ms: 1.5,
    event: 'request.completed',
    msg: 'Request completed',
  })
})

test('a stranger who is refused ten thousand times leaves some lines, and none of an organiser is missing', () => {
  const lines = logged((log) => {
    for (let n = 0; n < 10_000; n++) log({ ...CHECKIN, status: 404 })
    for (let n = 0; n < 100; n++) log({ ...CHECKIN, status: 200 }, true)
  })
  expect(lines.filter(({ status }) => status === 404).length).toBeLessThan(1_000)
  expect(lines.filter(({ status }) => status === 200)).toHaveLength(100)
})
