import { expect, test } from 'bun:test'
import { ApiError } from '@palanquin/service/http/api-error'
import { createBoundedQueue, createDocumentQueue, releaseAfter } from './bounded-queue.ts'

const BOUNDS = { concurrency: 2, waitingMax: 3, busyMessage: 'busy' }

test('tasks run two at a time in their order, and beyond three waiting ones they get a 503 with Retry-After', async () => {
  let refused = 0
  const queue = createBoundedQueue({ ...BOUNDS, onBusy: () => refused++ })
  const started: number[] = []
  let running = 0
  let most = 0
  const results = await Promise.all(
    Array.from({ length: 8 }, (_, n) =>
      queue.run(async () => {
        started.push(n)
        most = Math.max(most, ++running)
        await new Promise(setImmediate)
        running--
        return n
      }),
    ),
  )
  expect(started).toEqual([0, 1, 2, 3, 4])
  expect(most).toBe(2)
  expect(results.slice(0, 5)).toEqual([0, 1, 2, 3, 4])
  for (const result of results.slice(5)) {
    if (!(result instanceof ApiError)) throw new Error('it was not refused')
    expect([result.code, result.message, result.headers['retry-after']]).toEqual(['unavailable', 'busy', '2'])
  }
  expect(refused).toBe(3)
})

test('a task that fails gives its slot back', async () => {
  const queue = createBoundedQueue({ ...BOUNDS, concurrency: 1 })
  await expect(queue.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await queue.run(() => 'done')).toBe('done')
})

test('a slot is the caller’s until the last chunk is read or the response is cancelled, and is released once', async () => {
  const queue = createBoundedQueue({ ...BOUNDS, concurrency: 1 })
  const slot = async () => {
    const release = await queue.acquire()
    if (release instanceof ApiError) throw release
    return release
  }
  const chunks = async function* () {
    yield 'a'
    yield 'b'
  }
  const first = releaseAfter(await slot(), chunks())
  await first.next()
  const order: string[] = []
  const second = slot().then((release) => {
    order.push('second')
    return release
  })
  const third = slot().then(() => order.push('third'))
  order.push('cancelled')
  await first.return(undefined)
  const release = await second
  expect(order).toEqual(['cancelled', 'second'])
  release()
  release()
  await third
  expect(order).toEqual(['cancelled', 'second', 'third'])
})

test('documents that are read slowly keep a place, and hold up no other', async () => {
  const queue = createDocumentQueue({ concurrency: 1, openMax: 3, busyMessage: 'busy' })
  const text = 'x'.repeat(70_000)
  let closed = 0
  async function* pages(): AsyncGenerator<string> {
    try {
      for (let page = 0; page < 3; page++) yield text
    } finally {
      closed++
    }
  }
  const opened = () => {
    const document = queue.open(pages())
    if (document instanceof ApiError) throw document
    return document
  }
  const [slow, stalled] = [opened(), opened()]
  expect((await slow.next()).value).toBe(text)
  expect((await stalled.next()).value).toBe(text)
  let whole = ''
  for await (const part of opened()) whole += part
  expect(whole).toBe(text.repeat(3))
  const third = opened()
  expect(queue.open(pages())).toBeInstanceOf(ApiError)
  expect((await slow.next()).value).toBe(text)
  await stalled.return(undefined)
  expect(closed).toBe(2)
  for await (const _ of opened());
  await third.next()
  await Promise.all([slow.return(undefined), third.return(undefined)])
  expect(closed).toBe(5)
})
