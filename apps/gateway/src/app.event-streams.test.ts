import { beforeEach, expect, test } from 'bun:test'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import type { GatewayInstance } from '../test/gateway.ts'
import { requestWithoutReading } from '../test/unread-client.ts'
import { useGateway } from '../test/use-gateway.ts'
import { Readers } from './readers/readers.ts'

const DEADLINE_MS = 1_000
/** Of those to whom many streams come at once. */
const PATIENT = { deadlineMs: TEST_TIMEOUT_MS, env: { TRUST_PROXY: '127.0.0.1', RATE_LIMITS: 'off' } }
/** The event streams that the service has open now. */
const open = new Set<ReadableStreamDefaultController<string>>()

const deployment = useGateway({ deadlineMs: TEST_TIMEOUT_MS })
beforeEach(() => deployment.services.map.replyWith(eventStream))

function eventStream(): Response {
  let mine: ReadableStreamDefaultController<string> | undefined
  const body = new ReadableStream<string>({
    start: (controller) => {
      mine = controller
      open.add(controller)
      controller.enqueue('data: first\n\n')
    },
    cancel: () => {
      if (mine) open.delete(mine)
    },
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}
const say = (text: string) => {
  for (const controller of open) controller.enqueue(`data: ${text}\n\n`)
}
const via = (address: string) => ({ 'x-forwarded-proto': 'https', 'x-forwarded-for': address })
/** Of the client at an address, by way of a trusted proxy; or directly. */
const subscribe = async ({
  gateway = deployment.gateway,
  address,
}: {
  gateway?: GatewayInstance
  address?: string
} = {}) => {
  const leave = new AbortController()
  const answer = await gateway.call('/api/event/data/stream', {
    signal: leave.signal,
    ...(address ? { headers: via(address) } : {}),
  })
  const reader = answer.body?.getReader()
  const next = async () => {
    const read = await reader?.read()
    return read?.value ? new TextDecoder().decode(read.value) : undefined
  }
  return { answer, next, leave: () => leave.abort() }
}

test('events pass as they come, and the service’s stream ends when the client disconnects', async () => {
  const { answer, next, leave } = await subscribe()
  expect(answer.headers.get('content-type')).toBe('text/event-stream')
  expect(answer.headers.get('cache-control')).toBe('no-store')
  expect(await next()).toBe('data: first\n\n')
  say('second')
  expect(await next()).toBe('data: second\n\n')
  leave()
  await until(() => open.size === 0, { what: 'the service’s stream is closed' })
})

test('a stream ends for the client when the service stops', async () => {
  const { next } = await subscribe()
  expect(await next()).toBe('data: first\n\n')
  for (const controller of open) {
    open.delete(controller)
    controller.close()
  }
  expect(await next()).toMatch(/^retry: \d{4,5}\n\n$/)
  expect(await next()).toBeUndefined()
})

test('a silent stream outlives the deadline of other calls', async () => {
  const gateway = await deployment.addGateway({ deadlineMs: DEADLINE_MS })
  const { next, leave } = await until(
    async () => {
      const stream = await subscribe({ gateway })
      return stream.answer.status !== 504 && stream
    },
    { what: 'the service answers within the deadline' },
  )
  expect(await next()).toBe('data: first\n\n')
  await Bun.sleep(DEADLINE_MS * 1.5)
  say('late')
  expect(await next()).toBe('data: late\n\n')
  leave()
  await until(() => open.size === 0, { what: 'the service’s stream is closed' })
})

const allClosed = () => until(() => open.size === 0, { what: 'all streams are closed' })

test('an address has twenty streams, the next is 429 with Retry-After; a closed one frees its place, and other addresses have their own', async () => {
  const gateway = await deployment.addGateway(PATIENT)
  const ofNetwork = ['2001:db8:1:2::1', '2001:db8:1:2:ffff::2'] // one /64
  const streams = await Promise.all(
    Array.from({ length: 20 }, (_, n) => subscribe({ gateway, address: ofNetwork[n % 2] ?? '' })),
  )
  expect(streams.map(({ answer }) => answer.status)).toEqual(streams.map(() => 200))
  const refused = await gateway.call('/api/event/data/stream', { headers: via('2001:db8:1:2::3') })
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '30'])
  expect(await refused.json()).toMatchObject({ error: expect.stringContaining('Your address') })

  const other = await subscribe({ gateway, address: '2001:db8:1:3::1' })
  expect(other.answer.status).toBe(200)
  streams.pop()?.leave()
  await until(
    async () => {
      const again = await subscribe({ gateway, address: '2001:db8:1:2::3' })
      if (again.answer.status === 200) streams.push(again)
      return again.answer.status === 200
    },
    { what: 'a place is free again' },
  )
  for (const stream of [...streams, other]) stream.leave()
  await allClosed()
})

test('streams are bounded in all: past the bound 503 at once, while calls still pass; a closed one frees its place', async () => {
  const bound = 64 // a quarter of the 256 calls that Bun holds by default
  const gateway = await deployment.addGateway(PATIENT)
  const of = (n: number) => subscribe({ gateway, address: `203.0.113.${n}` })
  const streams = await Promise.all(Array.from({ length: bound }, (_, n) => of(n)))
  const refused = await of(bound)
  expect([refused.answer.status, refused.answer.headers.get('retry-after')]).toEqual([503, '1'])
  deployment.services.map.replyWith(() => Response.json({ ok: true }))
  expect((await deployment.gateway.call('/api/event/data')).status).toBe(200)
  deployment.services.map.replyWith(eventStream)
  for (const stream of streams) stream.leave()
  await allClosed()
  await until(async () => (await of(bound + 1)).answer.status === 200, { what: 'a place is free again' })
  await gateway.close()
  await allClosed()
})

test('an old stream ends between two events, with its own time after which to reconnect', async () => {
  const gateway = await deployment.addGateway({ streamAgeMs: 400 })
  const texts = await Promise.all(
    Array.from({ length: 5 }, async () => {
      const { next } = await subscribe({ gateway })
      let text = ''
      const speaking = setInterval(() => {
        for (const controller of open) controller.enqueue('data: half')
        for (const controller of open) controller.enqueue(' and half\n\n')
      }, 30)
      for (let piece = await next(); piece !== undefined; piece = await next()) text += piece
      clearInterval(speaking)
      return text
    }),
  )
  const last = texts.map(
    (text) =>
      /^(?:data: first|data: half and half)\n\n(?:(?:data: half and half\n\n)*)retry: (\d+)\n\n$/.exec(
        text,
      )?.[1],
  )
  for (const ms of last) expect(Number(ms)).toBeWithin(1_000, 10_001)
  expect(new Set(last).size).toBeGreaterThan(1)
  await allClosed()
})

test('a stream whose client does not read is dropped, and its unread bytes stay bounded', async () => {
  const gateway = await deployment.addGateway({ readers: new Readers({ stalledMsMax: 1_000 }) })
  const event = `data: ${'x'.repeat(1_000_000)}\n\n`
  let sent = 0
  deployment.services.map.replyWith(
    () =>
      new Response(
        new ReadableStream<string>(
          {
            pull: (controller) => {
              controller.enqueue(event)
              sent += event.length
            },
          },
          { highWaterMark: 0 },
        ),
        { headers: { 'content-type': 'text/event-stream' } },
      ),
  )
  const { socket } = await requestWithoutReading(gateway.port, '/api/event/data/stream')
  await until(() => gateway.readers.dropped.stalled === 1, { what: 'it is dropped' })
  expect(gateway.readers.unreadBytes).toBe(0)
  expect(sent).toBeLessThan(40_000_000) // what kernels hold; an endless stream otherwise
  socket.destroy()
})

test('HEAD of a stream ends', async () => {
  const answer = await deployment.gateway.call('/api/event/data/stream', { method: 'HEAD' })
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
})

test('a large response of unknown length passes whole', async () => {
  const piece = 'x'.repeat(65_536)
  deployment.services.map.replyWith(() => {
    let left = 40
    return new Response(
      new ReadableStream<string>({
        pull: (controller) => {
          if (left-- > 0) controller.enqueue(piece)
          else controller.close()
        },
      }),
    )
  })
  expect((await (await deployment.gateway.call('/api/event/data')).text()).length).toBe(40 * piece.length)
})

test('a compressed response passes unchanged, with its encoding', async () => {
  const text = JSON.stringify({ points: Array.from({ length: 1_000 }, (_, i) => i) })
  deployment.services.map.replyWith(
    () =>
      new Response(Bun.gzipSync(text), { headers: { 'content-encoding': 'gzip', vary: 'Accept-Encoding' } }),
  )
  const answer = await deployment.gateway.call('/api/event/data', { headers: { 'accept-encoding': 'gzip' } })
  expect(answer.headers.get('content-encoding')).toBe('gzip')
  expect(await answer.text()).toBe(text)
})
