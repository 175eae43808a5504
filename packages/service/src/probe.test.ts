import { expect, test } from 'bun:test'
import { storeProbe } from './probe.ts'

test('a store that hangs is reported as away within the second that health has', async () => {
  const probe = storeProbe('redis', () => new Promise(() => {}))
  const before = performance.now()
  expect((await probe()).ok).toBe(false)
  expect(performance.now() - before).toBeLessThan(1000)
})

test('everybody who asks at the same time shares one ping', async () => {
  let pings = 0
  const probe = storeProbe('redis', async () => {
    pings++
  })
  await Promise.all([probe(), probe(), probe()])
  expect(pings).toBe(1)
})

test('a ping that throws is an answer, not an exception, and names the store', async () => {
  const probe = storeProbe('object store', () => {
    throw new Error('refused')
  })
  expect(await probe()).toEqual({ ok: false, detail: 'object store: refused' })
})
