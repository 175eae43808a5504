import { expect, test } from 'bun:test'
import { createLog } from '../log.ts'
import { createMetrics } from '../metrics.ts'
import { requestAccounts } from './accounts.ts'
import { ApiError, StoreUnavailable } from './api-error.ts'
import { createHttpApp } from './app.ts'
import { ALONE, BATCH_BYTES_MAX, readAnswers, writeCalls } from './batch.ts'
import { batchRoute } from './batch-route.ts'
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

function callsOf(timeoutMs?: number) {
  const shell = {
    service: 'test',
    log: createLog({ service: 'test', level: 'silent' }),
    metrics: createMetrics('test'),
  }
  const accounts = requestAccounts(shell)
  const rawBodies = { [PATH]: BATCH_BYTES_MAX }
  const readiness = async () => ({})
  const app = createHttpApp({ ...shell, internalToken: TOKEN, readiness, rawBodies, accounts }).use(
    batchRoute({
      ...{ path: PATH, route: '/walk', method: 'GET', status: 200, answer, accounts },
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    }),
  )
  return async (...calls: string[]) => {
    const response = await app.handle(
      new Request(`http://service.internal${PATH}`, {
        method: 'POST',
        headers: { [INTERNAL_TOKEN_HEADER]: TOKEN, 'content-type': 'text/plain' },
        body: writeCalls(calls.map((json, at) => ({ requestId: `r-${at}`, json }))),
      }),
    )
    return readAnswers(await response.text(), calls.length)
  }
}

test('what becomes of one of many touches no other: refused, a store away, a bug', async () => {
  expect(await callsOf()('one', 'refuse', 'away', 'bug', 'two')).toEqual([
    { status: 200, retryAfter: '', json: '{"ok":true,"data":{"walk":"one"}}' },
    { status: 404, retryAfter: '', json: '{"error":"No such walk.","requestId":"r-1"}' },
    { status: 503, retryAfter: '5', json: expect.stringMatching(/^\{"error":"The database .*"r-2"\}$/) },
    { status: 500, retryAfter: '', json: expect.not.stringContaining('secret-detail') },
    { status: 200, retryAfter: '', json: '{"ok":true,"data":{"walk":"two"}}' },
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
