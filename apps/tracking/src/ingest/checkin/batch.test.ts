import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { writeCalls } from '@palanquin/service/http/batch'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { batchOf, sendBatch } from '../../../test/batch.ts'
import { type Service, type Stores, stores, tracking, untilFlushed } from '../../../test/harness.ts'
import { CHECKINS_PATH } from './batch.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

let given: Stores
let service: Service
beforeAll(async () => {
  given = await stores()
  service = await tracking(given)
})
afterAll(async () => {
  await service.close()
  await given.close()
})

const send = (text: string, token?: string) => sendBatch(service, CHECKINS_PATH, text, token)
const batch = (...bodies: string[]) => batchOf(service, CHECKINS_PATH, bodies)
const at = (userId: string, more = {}) => JSON.stringify({ userId, lat: 24.1, lng: 120.6, ...more })
const rows = async () =>
  (await given.sql`SELECT user_id FROM tracking.points ORDER BY user_id`).map((row) => String(row.user_id))

test('each check-in of a batch is judged and answered separately, under its own request id', async () => {
  const answers = await batch(
    at('one'),
    '{"userId":"two","lat":91,"lng":120}',
    'no json at all',
    '{"line_user_id":"three","lat":24.1,"lng":120.6}',
    at('four', { source: 'admin' }),
    at('one'),
  )
  expect(answers.map(({ status }) => status)).toEqual([202, 400, 400, 202, 400, 202])
  expect(answers[1]?.body).toEqual({ error: expect.stringMatching(/^lat: /), requestId: 'r-1' })
  expect(answers[2]?.body.requestId).toBe('r-2')
  expect(answers[4]?.body.error).toStartWith('source:')
  expect(new Set([answers[0], answers[3], answers[5]].map((answer) => answer?.body.data?.id)).size).toBe(3)
  await until(() => service.journal.stats().waiting === 0, { what: 'Redis has every check-in' })
  await untilFlushed(service)
  expect(await rows()).toEqual(['one', 'three'])
})

test('check-ins of a batch are counted as if each had come alone', async () => {
  const count = async () => {
    const text = await (await service.app.fetch(new Request('http://tracking.internal/metrics'))).text()
    return Number(
      /http_requests_total\{[^}]*route="\/checkin",status="202"[^}]*\} (\d+)/.exec(text)?.[1] ?? 0,
    )
  }
  const before = await count()
  await batch(at('five'), at('six'), at('seven'))
  expect(await count()).toBe(before + 3)
})

test('a batch that is cut off, or has no internal token, is refused as a whole', async () => {
  expect((await send(`r-0 ${at('cut')}`)).status).toBe(400)
  expect((await send(writeCalls([{ requestId: 'r', json: at('unauthenticated') }]), 'wrong')).status).toBe(
    401,
  )
  await untilFlushed(service)
  expect((await rows()).filter((user) => user === 'cut' || user === 'unauthenticated')).toEqual([])
})
