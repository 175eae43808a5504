import { expect, test } from 'bun:test'
import type { StoredCheckin } from './checkin.ts'
import { createCheckinSender } from './checkin-sender.ts'

const photo = new Blob(['a photo'])
const made = (seq: number, more: Partial<StoredCheckin> = {}): StoredCheckin => ({
  seq,
  userId: 'w_one',
  state: 'waiting' as const,
  ...more,
  point: { lat: 24, lng: 120 + seq, recordedAt: seq },
})

/** Sends what waits to a service that answers with these statuses, then with none. */
async function send(checkins: StoredCheckin[], statuses: number[]): Promise<StoredCheckin[]> {
  const kept = new Map(checkins.map((checkin) => [checkin.seq, checkin]))
  const sender = createCheckinSender({
    all: async () => [...kept.values()],
    save: async (checkin) => void kept.set(checkin.seq, checkin),
    post: async () => {
      const status = statuses.shift()
      return status === undefined ? null : { status, retryAfterS: null, body: {} }
    },
    onChange: () => {},
    nowMs: () => 1_000_000,
    after: () => () => {},
  })
  await sender.wake()
  return [...kept.values()]
}

test('a check-in is received by a 202 alone, one with a photo by a 201, whose photo is then given up', async () => {
  const [plain, pictured] = await send([made(1), made(2, { photo, hasPhoto: true })], [202, 201])
  expect([plain?.state, pictured?.state]).toEqual(['received', 'received'])
  expect([pictured?.photo, pictured?.hasPhoto]).toEqual([undefined, true])
})

test.each([200, 401, 403, 404, 429, 500, 503])('after %d it waits, its photo too', async (status) => {
  const [checkin] = await send([made(1, { photo })], [status])
  expect([checkin?.state, checkin?.photo]).toEqual(['waiting', photo])
})

test('what the service will never take says why, and holds up nothing', async () => {
  const all = [made(1), made(2, { photo }), made(3, { photo }), made(4)]
  const states = (await send(all, [400, 400, 413, 202])).map(({ state, reason }) => [state, reason])
  expect(states).toEqual([
    ['refused', 'invalid'],
    ['refused', 'photo'],
    ['refused', 'photo-too-large'],
    ['received', undefined],
  ])
})
