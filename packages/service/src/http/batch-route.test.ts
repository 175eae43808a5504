import { expect, test } from 'bun:test'
import { createLog } from '../log.ts'
import { createMetrics } from '../metrics.ts'
import { requestAccounts } from './accounts.ts'
import { ApiError, StoreUnavailable } from './api-error.ts'
import { createHttpApp } from './app.ts'
import { ALONE, BATCH_BYTES_MAX, readAnswers, writeCalls } from './batch.ts'
import { type AnswerAll, aloneIfInvalid, batchRoute, eachByItself, okJson } from './batch-route.ts'
import { INTERNAL_TOKEN_HEADER } from './headers.ts'

const TOKEN = 'the-internal-token-of-this-test'
const PATH = '/internal/walks'

/** Each call says what becomes of it. */
async function answer(json: string): Promise<object | ApiError> {
  if (json === 'refuse') return new ApiError('notFound', 'No such walk.')
  if (json === 'away') throw new StoreUnavailable('database', new Error('refused'))
  if (json === 'bug') throw new TypeError('secret-detail')
  if (json === 'slow') await Bun.sleep(2_000)
  return { walk: json }
}

function serviceOf(answerAll: AnswerAll) {
  const shell = {
    service: 'test',
    log: createLog({ service: 'test', level: 'silent' }),
    metrics: createMetrics('test'),
  }
  const accounts = requestAccounts(shell)
  const readiness = async () => ({})
  const route = { path: PATH, route: '/walk', method: 'GET', status: 200 } as const
  const batches = [batchRoute({ ...route, answerAll, accounts })]
  const app = createHttpApp({ ...shell, internalToken: TOKEN, readiness, batches, accounts })
  const send = async (body: string, { method = 'POST', token = TOKEN } = {}) =>
    app.handle(
      new Request(`http://service.internal${PATH}`, {
        method,
        headers: { [INTERNAL_TOKEN_HEADER]: token, 'content-type': 'text/plain' },
        ...(method === 'POST' ? { body } : {}),
      }),
    )
  return {
    send,
    metrics: async () => (await accounts.text([])).body,
    call: async (...calls: string[]) => {
      const named = calls.map((json, at) => ({ requestId: `r-${at}`, userId: `U${at}`, json }))
      const response = await send(writeCalls(named))
      return readAnswers(await response.text(), calls.length)
    },
  }
}

const callsOf = (timeoutMs?: number) =>
  serviceOf(eachByItself({ answer, ...(timeoutMs === undefined ? {} : { timeoutMs }) })).call

test('what becomes of one of many touches no other: refused, a store away, a bug', async () => {
  expect(await callsOf()('one', 'refuse', 'away', 'bug', 'two')).toEqual([
    { status: 200, retryAfter: '', json: '{"ok":true,"data":{"walk":"one"}}', isNew: false },
    { status: 404, retryAfter: '', json: '{"error":"No such walk.","requestId":"r-1"}', isNew: false },
    {
      status: 503,
      retryAfter: '5',
      isNew: false,
      json: expect.stringMatching(/^\{"error":"The database .*"r-2"\}$/),
    },
    { status: 500, retryAfter: '', json: expect.not.stringContaining('secret-detail'), isNew: false },
    { status: 200, retryAfter: '', json: '{"ok":true,"data":{"walk":"two"}}', isNew: false },
  ])
})

test('a call that takes too long holds up no other, and has to be sent alone', async () => {
  const answers = await callsOf(50)('one', 'slow', 'refuse')
  expect(answers?.[1]).toBe(ALONE)
  expect([answers?.[0], answers?.[2]]).toMatchObject([{ status: 200 }, { status: 404 }])
})

test('where each must be answered, all wait for the slowest', async () => {
  expect(await callsOf()('one', 'slow')).toMatchObject([{ status: 200 }, { status: 200 }])
})

test('a route may answer all calls of a batch at once, each counted as if it had come alone', async () => {
  const { call, metrics } = serviceOf(async (calls) =>
    calls.map(({ userId, json }) => {
      if (json === 'refuse') return new ApiError('forbidden', 'Not now.')
      return json === 'alone' ? ALONE : { json: okJson(`"${userId}"`), isNew: json === 'new' }
    }),
  )
  expect(await call('new', 'refuse', 'alone', 'known')).toEqual([
    { status: 200, retryAfter: '', json: '{"ok":true,"data":"U0"}', isNew: true },
    { status: 403, retryAfter: '', json: '{"error":"Not now.","requestId":"r-1"}', isNew: false },
    ALONE,
    { status: 200, retryAfter: '', json: '{"ok":true,"data":"U3"}', isNew: false },
  ])
  const text = await metrics()
  expect(text).toMatch(/requests_total\{method="GET",route="\/walk",status="200"[^}]*\} 2\n/)
  expect(text).toMatch(/requests_total\{method="GET",route="\/walk",status="403"[^}]*\} 1\n/)
  expect(text).toMatch(/seconds_count\{[^}]*route="\/walk"[^}]*\} 3\n/)
})

test('what is thrown while all are answered is the error of each', async () => {
  const { call } = serviceOf(async () => {
    throw new StoreUnavailable('buffer')
  })
  expect(await call('one', 'two')).toMatchObject([
    { status: 503, retryAfter: '5', json: expect.stringContaining('"r-0"') },
    { status: 503, retryAfter: '5', json: expect.stringContaining('"r-1"') },
  ])
})

test('a batch that is cut off, too long or not from the gateway is refused as a whole', async () => {
  const { send } = serviceOf(eachByItself({ answer }))
  expect((await send('r-0 U0 {}')).status).toBe(400)
  expect((await send(`r-0 U0 ${'x'.repeat(BATCH_BYTES_MAX)}\n`)).status).toBe(413)
  expect((await send('r-0 U0 {}\n', { token: 'wrong' })).status).toBe(401)
  expect((await send('', { method: 'GET' })).status).toBe(404)
})

test('only what is invalid is sent back to be called alone', () => {
  const invalid = new ApiError('invalid', 'lat: expected a number')
  const forbidden = new ApiError('forbidden', 'Paused.')
  expect([invalid, forbidden, 'accepted'].map((one) => aloneIfInvalid(one))).toEqual([
    ALONE,
    forbidden,
    'accepted',
  ])
})
