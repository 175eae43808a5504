import { beforeEach, expect, test } from 'bun:test'
import { until } from '@palanquin/testing/until'
import { useStand } from '../test/use-stand.ts'

const DEADLINE_MS = 1_000
/** The event streams that the service has open now. */
const open = new Set<ReadableStreamDefaultController<string>>()

const house = useStand({ deadlineMs: DEADLINE_MS })
beforeEach(() => house.services.map.replyWith(eventStream))

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
const subscribe = async () => {
  const leave = new AbortController()
  const answer = await house.stand.call('/api/event/data/stream', { signal: leave.signal })
  const reader = answer.body?.getReader()
  const next = async () => {
    const read = await reader?.read()
    return read?.value ? new TextDecoder().decode(read.value) : undefined
  }
  return { answer, next, leave: () => leave.abort() }
}

test('events pass as they come, and both sides are told when the client goes', async () => {
  const { answer, next, leave } = await subscribe()
  expect(answer.headers.get('content-type')).toBe('text/event-stream')
  expect(answer.headers.get('cache-control')).toBe('no-store')
  expect(await next()).toBe('data: first\n\n')
  say('second')
  expect(await next()).toBe('data: second\n\n')
  leave()
  await until(() => open.size === 0, { what: 'the service’s stream is closed' })
})

test('a stream ends for the client when the service goes', async () => {
  const { next } = await subscribe()
  expect(await next()).toBe('data: first\n\n')
  for (const controller of open) {
    open.delete(controller)
    controller.close()
  }
  expect(await next()).toBeUndefined()
})

test('a silent stream outlives the deadline of other calls', async () => {
  const { next, leave } = await subscribe()
  expect(await next()).toBe('data: first\n\n')
  await Bun.sleep(DEADLINE_MS * 1.5)
  say('late')
  expect(await next()).toBe('data: late\n\n')
  leave()
  await until(() => open.size === 0, { what: 'the service’s stream is closed' })
})

test('streams are bounded: past the bound 503 at once, and calls still go through; who leaves makes room', async () => {
  const bound = 64 // a quarter of the 256 calls that Bun holds by default
  const streams = await Promise.all(Array.from({ length: bound }, subscribe))
  const refused = await house.stand.call('/api/event/data/stream')
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
  house.services.map.replyWith(() => Response.json({ ok: true }))
  expect((await house.stand.call('/api/event/data')).status).toBe(200)
  house.services.map.replyWith(eventStream)
  for (const stream of streams) stream.leave()
  await until(() => open.size === 0, { what: 'all streams are closed' })
  await until(
    async () => {
      const again = await subscribe()
      again.leave()
      return again.answer.status === 200
    },
    { what: 'there is room again' },
  )
})

test('HEAD of a stream ends', async () => {
  const answer = await house.stand.call('/api/event/data/stream', { method: 'HEAD' })
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
})

test('a large answer of unknown length passes whole', async () => {
  const piece = 'x'.repeat(65_536)
  house.services.map.replyWith(() => {
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
  expect((await (await house.stand.call('/api/event/data')).text()).length).toBe(40 * piece.length)
})

test('a compressed answer passes as it is, with its encoding', async () => {
  const text = JSON.stringify({ points: Array.from({ length: 1_000 }, (_, i) => i) })
  house.services.map.replyWith(
    () =>
      new Response(Bun.gzipSync(text), { headers: { 'content-encoding': 'gzip', vary: 'Accept-Encoding' } }),
  )
  const answer = await house.stand.call('/api/event/data', { headers: { 'accept-encoding': 'gzip' } })
  expect(answer.headers.get('content-encoding')).toBe('gzip')
  expect(await answer.text()).toBe(text)
})
