import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { setOut, type ThrowawayStack } from '../throwaway-stack.ts'

const BODY_BYTES_MAX = 102_400

let journey: ThrowawayStack
beforeAll(async () => {
  journey = await setOut()
})
afterAll(() => journey.close())

test('5 check-ins of one person pass and the sixth in 60 s is 429, with what a client needs to know', async () => {
  const replies = []
  for (let i = 0; i < 6; i++)
    replies.push(await journey.api.post('/checkin', { userId: 'eager', lat: 24 + i / 100, lng: 120 }))
  expect(replies.map(({ status }) => status)).toEqual([202, 202, 202, 202, 202, 429])
  expect(replies.map(({ headers }) => headers.get('ratelimit-remaining'))).toEqual([
    '4',
    '3',
    '2',
    '1',
    '0',
    '0',
  ])
  const { headers, body } = replies[5] ?? {}
  expect(headers?.get('ratelimit-limit')).toBe('5')
  expect(Number(headers?.get('retry-after'))).toBeGreaterThan(0)
  expect(Number(headers?.get('ratelimit-reset'))).toBeLessThanOrEqual(60)
  expect(body).toMatchObject({ error: expect.any(String), requestId: expect.any(String) })
  expect((await journey.api.post('/checkin', { userId: 'other', lat: 24, lng: 120 })).status).toBe(202)
})

/** A sync of exactly so many bytes: a field that nobody knows fills it up. */
function bodyOf(bytes: number): string {
  const sync = (fill: string) =>
    JSON.stringify({ userId: 'heavy', points: [{ lat: 24, lng: 120, recordedAt: Date.now() }], fill })
  return sync('x'.repeat(bytes - sync('').length))
}

/** Posts without a Content-Length, in chunks. */
async function postInChunks(text: string): Promise<Response> {
  const { url, caFile } = journey.running()
  const bytes = new TextEncoder().encode(text)
  let at = 0
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      if (at >= bytes.length) return controller.close()
      controller.enqueue(bytes.slice(at, at + 10_000))
      at += 10_000
    },
  })
  return fetch(`${url}/api/event/track/sync`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
    tls: { ca: readFileSync(caFile, 'utf8') },
  })
}

test('a body of 102,400 bytes is served and one more byte is a JSON 413, announced', async () => {
  expect((await journey.api.post('/track/sync', bodyOf(BODY_BYTES_MAX))).status).toBe(200)
  const { status, body } = await journey.api.post('/track/sync', bodyOf(BODY_BYTES_MAX + 1))
  expect(status).toBe(413)
  expect(body).toMatchObject({ error: expect.any(String) })
})

test('a body of 102,400 bytes is served and one more byte is a JSON 413, streamed without a length', async () => {
  expect((await postInChunks(bodyOf(BODY_BYTES_MAX))).status).toBe(200)
  const refused = await postInChunks(bodyOf(BODY_BYTES_MAX + 1))
  expect(refused.status).toBe(413)
  expect(await refused.json()).toMatchObject({ error: expect.any(String) })
})
