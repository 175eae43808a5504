import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { SharedBytes } from './shared-bytes.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const BYTES = 6_000_001
const READERS = 12

/** Bytes of which no part is like another. */
function unlike(): Uint8Array<ArrayBuffer> {
  const words = new Uint32Array(Math.ceil(BYTES / 4)).map((_, at) => Math.imul(at + 1, 2_654_435_761))
  return new Uint8Array(words.buffer.slice(0, BYTES))
}

let shared = new SharedBytes(new ArrayBuffer(0))
let begun = 0
const server = Bun.serve({
  port: 0,
  fetch: () => {
    begun++
    return new Response(shared.read().body)
  },
})
afterAll(() => server.stop(true))

/** Reads with a pause after each chunk, and gives up after `most` of them. */
async function slowRead(most = Number.POSITIVE_INFINITY): Promise<string> {
  const hash = new Bun.CryptoHasher('sha256')
  let count = 0
  const { body } = await fetch(server.url)
  for await (const chunk of body ?? []) {
    hash.update(chunk)
    await Bun.sleep(count % 3)
    if (++count >= most) return 'given up'
  }
  return hash.digest('hex')
}

test('every reader gets the same bytes at its own pace, and they are given back when the last one has ended', async () => {
  const bytes = unlike()
  const whole = Bun.SHA256.hash(bytes, 'hex')
  const { buffer } = bytes
  shared = new SharedBytes(buffer)
  const reading = Array.from({ length: READERS }, (_, n) => slowRead(n % 3 === 0 ? 2 : undefined))
  await until(() => begun === READERS, { what: 'all of them have begun' })
  shared.close()
  const read = await Promise.all(reading)
  expect(new Set(read)).toEqual(new Set([whole, 'given up']))
  expect(read.filter((one) => one === whole)).toHaveLength((READERS * 2) / 3)
  await until(() => buffer.detached, { what: 'the bytes are given back' })
})

test('bytes without a reader are given back at once, and those that are read are not', async () => {
  const unread = new ArrayBuffer(1)
  new SharedBytes(unread).close()
  expect(unread.detached).toBe(true)
  const read = new ArrayBuffer(1)
  const one = new SharedBytes(read)
  const { body, relayed } = one.read()
  one.close()
  expect(read.detached).toBe(false)
  await body.cancel()
  expect(read.detached).toBe(true)
  relayed.drop()
})
