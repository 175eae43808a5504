import { expect, test } from 'bun:test'
import { createEventQueue } from './event-queue.ts'

const KILOBYTES = 1_024
const event = (bytes: number) => new Uint8Array(bytes).fill(120)

test('a client gets every byte in order, in slices', async () => {
  const queue = createEventQueue({ onCancel: () => {} })
  queue.push(event(200 * KILOBYTES))
  queue.push(event(10))
  const reader = queue.body.getReader()
  const sizes: number[] = []
  while (sizes.reduce((sum, size) => sum + size, 0) < 200 * KILOBYTES + 10)
    sizes.push((await reader.read()).value?.length ?? 0)
  expect(Math.max(...sizes)).toBe(64 * KILOBYTES)
  queue.end()
  expect(await reader.read()).toMatchObject({ done: true })
})

test('a client that reads nothing is noticed and disconnected with an error; a slow or idle one is not', async () => {
  const queue = createEventQueue({ onCancel: () => {} })
  const reader = queue.body.getReader()
  for (let tick = 0; tick < 20; tick++) expect(queue.stalledTicks()).toBe(0)
  queue.push(event(10_000 * KILOBYTES))
  for (let tick = 0; tick < 20; tick++) {
    expect(queue.stalledTicks()).toBeLessThanOrEqual(2)
    await reader.read()
  }
  for (let tick = 0; tick < 20; tick++) queue.stalledTicks()
  expect(queue.stalledTicks()).toBeGreaterThan(15)
  queue.abort()
  expect(reader.read()).rejects.toThrow('reads nothing')
  expect(queue.length()).toBe(0)
})

test('a client that disconnects is reported once, and its events are dropped', async () => {
  let cancelled = 0
  const queue = createEventQueue({ onCancel: () => cancelled++ })
  queue.push(event(KILOBYTES))
  await queue.body.cancel()
  queue.end()
  expect([cancelled, queue.length()]).toEqual([1, 0])
})
