import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { LineStub } from '@palanquin/line-simulator/stub'
import { rollingRestart } from '@palanquin/stack/lifecycle/rolling-restart'
import type { ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { serviceOf } from '@palanquin/stack/units/copies'
import { GATEWAY } from '@palanquin/stack/units/services'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { startWithLine } from './with-line.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const BODY_BYTES_MAX = 102_400
const NEW_PARTICIPANTS = 30
/** On a machine so slow that tracking is late to say who is known some are not counted. */
const ATTEMPTS_MAX = 20 * NEW_PARTICIPANTS

let line: LineStub
let stack: ThrowawayStack
let close: () => Promise<void>
beforeAll(async () => {
  ;({ line, stack, close } = await startWithLine({ NEW_PARTICIPANT_LIMIT: String(NEW_PARTICIPANTS) }))
})
afterAll(() => close())

/** What a gateway logs when tracking, Redis or another gateway was late. */
const LATE = /"limits\.(?:known_participants_away|local|join_timed_out)"/
const wasAnyLate = () =>
  Object.keys(stack.running().services)
    .filter((name) => serviceOf(name) === GATEWAY)
    .some((name) => LATE.test(readFileSync(stack.home.logFile(name), 'utf8')))

test('5 check-ins of one participant pass and the sixth in 60 s is 429, with what a client needs to know', async () => {
  const replies = []
  for (let i = 0; i < 6; i++)
    replies.push(await stack.api.post('/checkin', { userId: 'eager', lat: 24 + i / 100, lng: 120 }))
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
  expect((await stack.api.post('/checkin', { userId: 'other', lat: 24, lng: 120 })).status).toBe(202)
})

/** A sync of exactly that many bytes, padded with an unknown field. */
function bodyOf(bytes: number): string {
  const sync = (fill: string) =>
    JSON.stringify({ userId: 'heavy', points: [{ lat: 24, lng: 120, recordedAt: Date.now() }], fill })
  return sync('x'.repeat(bytes - sync('').length))
}

/** Posts without a Content-Length, in chunks. */
async function postInChunks(text: string): Promise<Response> {
  const { url, caFile } = stack.running()
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

test('a body of 102,400 bytes is served and one more byte is a JSON 413, with a Content-Length', async () => {
  expect((await stack.api.post('/track/sync', bodyOf(BODY_BYTES_MAX))).status).toBe(200)
  const { status, body } = await stack.api.post('/track/sync', bodyOf(BODY_BYTES_MAX + 1))
  expect(status).toBe(413)
  expect(body).toMatchObject({ error: expect.any(String) })
})

test('a body of 102,400 bytes is served and one more byte is a JSON 413, streamed without a length', async () => {
  expect((await postInChunks(bodyOf(BODY_BYTES_MAX))).status).toBe(200)
  const refused = await postInChunks(bodyOf(BODY_BYTES_MAX + 1))
  expect(refused.status).toBe(413)
  expect(await refused.json()).toMatchObject({ error: expect.any(String) })
})

test('one network is limited in new participants; known ones are served, also by a gateway just started', async () => {
  const { api } = stack
  const here = { lat: 24, lng: 120 }
  const bringers = [
    (userId: string) => api.post('/checkin', { userId, ...here }),
    (userId: string) => api.post('/track/sync', { userId, points: [{ ...here, recordedAt: Date.now() }] }),
    (userId: string) => api.post('/user/sync', { userId }),
    (userId: string) => api.post('/privacy', { userId, consent: true }),
  ]
  const bring = (at: number) => bringers[at % bringers.length]?.(`Ubrought${at}`)
  const admitted: number[] = []
  let refused: Awaited<ReturnType<typeof api.post>> | undefined
  for (let at = 0; at < ATTEMPTS_MAX && !refused; at++) {
    const reply = await bring(at)
    if (reply?.status === 429) refused = reply
    else {
      expect([at, reply?.status]).toEqual([at, at % 4 === 0 ? 202 : 200])
      admitted.push(at)
    }
  }
  // Earlier tests registered some participants, fewer than the limit.
  expect(admitted.length).toBeGreaterThanOrEqual(NEW_PARTICIPANTS - 10)
  if (!wasAnyLate()) expect(admitted.length).toBeLessThanOrEqual(NEW_PARTICIPANTS)
  expect(Number(refused?.headers.get('retry-after'))).toBeWithin(60, 3_601)
  expect(refused?.body).toMatchObject({ error: expect.stringContaining('new participants') })

  // LINE has counted the followers.
  const [friend = ''] = line.control.people.addMany(1)
  await line.control.send(line.control.from(friend).follow())
  const hasRow = async (userId: string) =>
    (await stack.sql`SELECT 1 FROM engagement.participants WHERE user_id = ${userId}`).length > 0
  await until(() => hasRow(friend), { what: 'LINE brings one more' })

  await rollingRestart(stack.home, { names: [GATEWAY], log: () => {} })
  const users = admitted.map((at) => `Ubrought${at}`)
  const statuses = await Promise.all(
    users.map(async (userId) => (await api.post('/checkin', { userId, lat: 24.5, lng: 120 })).status),
  )
  expect(statuses.filter((status) => status !== 202)).toEqual([])
  let late = ATTEMPTS_MAX
  await until(async () => (await bring(late++))?.status === 429, {
    what: 'the limit of a gateway just started',
  })
  if (!wasAnyLate()) expect(late).toBe(ATTEMPTS_MAX + 1)
})
