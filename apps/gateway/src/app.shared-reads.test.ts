import { beforeEach, expect, test } from 'bun:test'
import { until } from '@palanquin/testing/until'
import { TOKENS } from '../test/gateway.ts'
import { useGateway } from '../test/use-gateway.ts'

// Without limits, which let calls gather first: those in flight wait for the map then.
const deployment = useGateway({ shared: true, env: { RATE_LIMITS: 'off' } })
const MAP = '/api/event/data'
/** Longer than an answer is given again. */
const LATER_MS = 150

beforeEach(() => Bun.sleep(LATER_MS))
const ask = (query = '', headers: Record<string, string> = {}) =>
  deployment.gateway.call(MAP + query, { headers })
const asked = () => deployment.services.map.calls.length

/** The map, once so many have asked the gateway for it; each time another one. */
function answerWhenAsked({ callers = 1, bytes = 1_000, status = 200 } = {}): void {
  let version = 0
  const allArrived = until(() => deployment.gateway.inFlight() >= callers, { what: `${callers} who ask` })
  deployment.services.map.replyWith(async () => {
    const body = `${++version}`.padEnd(bytes, ' ')
    await allArrived
    return new Response(body, { status, headers: { 'cache-control': 'no-cache', vary: 'accept-encoding' } })
  })
}

test('requests for the map at the same time share one call, each with its own request id', async () => {
  answerWhenAsked({ callers: 10 })
  const answers = await Promise.all(Array.from({ length: 10 }, () => ask()))
  expect(asked()).toBe(1)
  expect(await Promise.all(answers.map((answer) => answer.text()))).toEqual(
    answers.map(() => '1'.padEnd(1_000)),
  )
  expect(new Set(answers.map(({ headers }) => headers.get('x-request-id'))).size).toBe(10)
  for (const { headers } of answers) expect(headers.get('cache-control')).toBe('no-cache')
  await Bun.sleep(LATER_MS)
  expect((await (await ask()).text()).trim()).toBe('2')
})

test('a map of several megabytes is shared as well', async () => {
  const bytes = 5_000_000
  answerWhenAsked({ callers: 5, bytes })
  const texts = await Promise.all(Array.from({ length: 5 }, async () => (await ask()).text()))
  expect(texts.map(({ length }) => length)).toEqual([bytes, bytes, bytes, bytes, bytes])
  expect(asked()).toBe(1)
})

test('what differs is loaded separately: format, encoding, an administrator, a cursor of changes', async () => {
  answerWhenAsked({ callers: 7 })
  await Promise.all([
    ask(),
    ask('?format=columns'),
    ask('', { 'accept-encoding': 'identity' }),
    ask('', { 'x-admin-token': TOKENS.manager }),
    ask('', { 'x-admin-token': TOKENS.volunteer }),
    ask('?since=abc'),
    ask('?since=abc'),
  ])
  expect(asked()).toBe(7)
})

test('a failure is shared by all waiting requests, and the next request loads again', async () => {
  answerWhenAsked({ callers: 4, status: 503 })
  const answers = await Promise.all(Array.from({ length: 4 }, () => ask()))
  expect(answers.map(({ status }) => status)).toEqual([503, 503, 503, 503])
  expect(asked()).toBe(1)
  answerWhenAsked()
  expect((await ask()).status).toBe(200)
})

test('a map of unknown length is loaded for each request', async () => {
  deployment.services.map.replyWith(async () => {
    await Bun.sleep(50)
    const body = new ReadableStream<string>({
      start: async (controller) => {
        controller.enqueue('some')
        await Bun.sleep(20)
        controller.close()
      },
    })
    return new Response(body)
  })
  const texts = await Promise.all(Array.from({ length: 3 }, async () => (await ask()).text()))
  expect(texts).toEqual(['some', 'some', 'some'])
  expect(asked()).toBe(3)
})

test('a client that has the version gets 304, and those at the same time that do not have it get the bytes', async () => {
  const gateway = await deployment.addGateway({ shared: true })
  deployment.services.map.replyWith((request) => {
    const headers = { etag: '"v1"', 'content-type': 'application/json' }
    return request.headers.get('if-none-match') === '"v1"'
      ? new Response(null, { status: 304, headers })
      : new Response('{"ok":true}', { headers })
  })
  const path = '/api/event/density'
  const [known, unknown] = await Promise.all([
    gateway.call(path, { headers: { 'if-none-match': '"v1"' } }),
    gateway.call(path),
  ])
  expect([known.status, await known.text()]).toEqual([304, ''])
  expect([unknown.status, await unknown.text()]).toEqual([200, '{"ok":true}'])
})

test('reads of participants are not shared', async () => {
  await Promise.all([
    deployment.gateway.call('/api/event/user/U1'),
    deployment.gateway.call('/api/event/user/U1'),
  ])
  expect(deployment.services.engagement.calls).toHaveLength(2)
})

test('made-up parameters and headers load no map of their own', async () => {
  answerWhenAsked({ callers: 101 })
  await Promise.all([
    ask(),
    ...Array.from({ length: 20 }, (_, i) => ask(`?x${i}=${i}`)),
    ...Array.from({ length: 20 }, (_, i) => ask('', { accept: `text/x-${i}` })),
    ...Array.from({ length: 20 }, (_, i) => ask('', { 'accept-language': `x-${i}` })),
    ...Array.from({ length: 20 }, (_, i) => ask('', { 'if-none-match': `"${i}"` })),
    ...Array.from({ length: 20 }, (_, i) => ask('', { 'accept-encoding': `gzip;q=0.${i}, x-${i}` })),
  ])
  expect(asked()).toBe(1)
  await Bun.sleep(LATER_MS)
  answerWhenAsked({ callers: 2 })
  await Promise.all([ask('?format=columns&bbox=1,2,3,4&a=1'), ask('?b=2&bbox=1,2,3,4&format=columns')])
  expect(asked()).toBe(2)
  expect(deployment.services.map.calls.at(-1)?.target).toBe('/data?bbox=1%2C2%2C3%2C4&format=columns')
})
