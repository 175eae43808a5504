import { expect, test } from 'bun:test'
import { driveCrowd } from './drive-crowd.ts'
import { KINDS } from './timetable.ts'

const PEOPLE = 100
/** Those of each kind that are due at once. */
const EACH = 10

test('each request is counted by its kind and by the minute it was due in, done or not', async () => {
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: ({ method, url }) =>
      new Response('', { status: method === 'GET' ? 200 : url.endsWith('/checkin') ? 202 : 503 }),
  })
  const due = KINDS.flatMap((kind) =>
    Array.from({ length: EACH }, (_, index) => ({ kind, index, atMs: 0, opens: index % 2 === 0 })),
  )
  const { kinds, minutes, points } = await driveCrowd(due, { base: server.url.href, ca: '', people: PEOPLE })
  await server.stop(true)
  const all = { due: EACH, done: EACH, refused: {} }
  expect(kinds).toMatchObject({ checkin: all, profile: all, map: all })
  expect(kinds.sync).toMatchObject({ due: EACH, done: 0, refused: { 503: EACH } })
  expect(minutes).toHaveLength(1)
  expect(minutes[0]).toMatchObject({ due: 4 * EACH, done: 3 * EACH, refused: { 503: EACH } })
  expect(minutes[0]?.longestMs).toBe(Math.max(...KINDS.map((kind) => kinds[kind].longestMs)))
  expect(points).toBe(EACH)
})
