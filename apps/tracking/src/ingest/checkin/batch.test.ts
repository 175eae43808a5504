import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { writeCalls } from '@palanquin/service/http/batch'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { batchOf, type Counted, sendBatch } from '../../../test/batch.ts'
import { type Service, type Stores, stores, tracking, untilFlushed } from '../../../test/harness.ts'

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

const PATH = '/internal/checkin-batch'
const send = (text: string, token?: string) => sendBatch(service, PATH, text, token)
const batch = (...calls: Counted[]) => batchOf(service, PATH, calls)
const at = (userId: string, more = {}) => ({
  userId,
  json: JSON.stringify({ userId, lat: 24.1, lng: 120.6, ...more }),
})
const rows = async () =>
  (await given.sql`SELECT user_id FROM tracking.points ORDER BY user_id`).map((row) => String(row.user_id))
const taken = () => until(() => service.journal.stats().waiting === 0, { what: 'Redis has every check-in' })

test('each check-in of a batch is judged and answered separately; what is invalid is to be sent alone', async () => {
  const answers = await batch(
    at('one'),
    { userId: 'two', json: '{"userId":"two","lat":91,"lng":120}' },
    { userId: 'none', json: 'no json at all' },
    { userId: 'three', json: '{"line_user_id":"three","lat":24.1,"lng":120.6,"note":"媽祖"}' },
    at('four', { source: 'admin' }),
    at('five', { recordedAt: 'noon' }),
    at('one'),
  )
  expect(answers.map(({ status }) => status)).toEqual([202, 'alone', 'alone', 202, 'alone', 'alone', 202])
  expect(new Set([answers[0], answers[3], answers[6]].map((answer) => answer?.body.data?.id)).size).toBe(3)
  await taken()
  await untilFlushed(service)
  expect(await rows()).toEqual(['one', 'three'])
})

test('a check-in that names somebody else than it was counted by is not taken, whatever its spelling', async () => {
  const before = service.journal.stats().bytes
  const { json } = at('victim')
  const answers = await batch(
    { userId: 'attacker', json },
    { userId: '', json },
    { userId: 'attacker', json: json.replace('{', '{"userId":"attacker",') },
    { userId: 'attacker', json: json.replace('"userId"', '"line_user_id"') },
    { userId: 'attacker', json: json.replace('{', '{"line_user_id":"attacker",') },
    { userId: 'attacker', json: json.replace('}', ',"note":"\\"userId\\":\\"attacker\\""}') },
  )
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 'alone'))
  expect(service.journal.stats().bytes).toBe(before)
})

test('one whom nobody knew is new once; one with a row is not', async () => {
  await given.sql`INSERT INTO engagement.participants (user_id) VALUES ('has-a-row')`
  const isKnown = async () => {
    const { body } = await service.post('/internal/known', { userIds: ['has-a-row'] })
    return Bun.deepEquals(body.data, { known: [1] })
  }
  await until(isKnown, { what: 'the row was read' })
  const answers = await batch(
    at('new'),
    at('has-a-row'),
    at('new', { lat: 24.2 }),
    at('refused', { lat: 91 }),
  )
  expect(answers.map(({ status, isNew }) => [status, isNew])).toEqual([
    [202, true],
    [202, false],
    [202, false],
    ['alone', false],
  ])
  expect((await batch(at('new', { lat: 24.3 }))).map(({ isNew }) => isNew)).toEqual([false])
  await service.post('/checkin', { userId: 'came-alone', lat: 24.1, lng: 120.6 })
  expect((await batch(at('came-alone'), at('refused'))).map(({ isNew }) => isNew)).toEqual([false, true])
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
  expect((await send(`r-0 cut ${at('cut').json}`)).status).toBe(400)
  const unauthenticated = writeCalls([{ requestId: 'r', ...at('unauthenticated') }])
  expect((await send(unauthenticated, 'wrong')).status).toBe(401)
  await untilFlushed(service)
  expect((await rows()).filter((user) => user === 'cut' || user === 'unauthenticated')).toEqual([])
})
