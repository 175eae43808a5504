import { expect, test } from 'bun:test'
import { settlesBefore } from '@palanquin/testing/settles-before'
import { storeProbe } from './probe.ts'

test('a store that hangs is reported as away within the second that health has', async () => {
  const probe = storeProbe('redis', () => new Promise(() => {}))
  const probed = probe()
  expect(await settlesBefore(probed, 1_000)).toBe(true)
  expect((await probed).ok).toBe(false)
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
