import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { nextCheckin, type StoredCheckin } from './checkin.ts'
import { OUTBOX_POINTS_MAX, thinned } from './outbox.ts'

const MINUTE = 60_000
const checkin = (
  seq: number,
  { lng = 120, madeMs = seq, sentAtMs }: { lng?: number; madeMs?: number; sentAtMs?: number } = {},
): StoredCheckin => ({
  seq,
  userId: 'w_one',
  state: 'waiting' as const,
  point: { lat: 24, lng, recordedAt: madeMs },
  ...(sentAtMs === undefined ? {} : { sentAtMs }),
})
const NOW = 100 * MINUTE

test('nothing waits: nothing is sent', () => {
  expect(nextCheckin([], NOW)).toBeNull()
  expect(
    nextCheckin(
      [
        { ...checkin(1), state: 'received' },
        { ...checkin(2), state: 'refused' },
      ],
      NOW,
    ),
  ).toBeNull()
})

test('the oldest goes first, and one that got no answer goes again at once', () => {
  expect(nextCheckin([checkin(2), checkin(1)], NOW)).toMatchObject({ send: { seq: 1 } })
  expect(nextCheckin([checkin(1, { sentAtMs: NOW - 1 })], NOW)).toMatchObject({ send: { seq: 1 } })
})

test('check-ins of one place go more than a minute apart, others overtake them', () => {
  const sent = { ...checkin(1, { sentAtMs: NOW - 20_000 }), state: 'received' as const }
  expect(nextCheckin([sent, checkin(2)], NOW)).toEqual({ waitMs: 45_000 })
  expect(nextCheckin([sent, checkin(2), checkin(3, { lng: 120.1 })], NOW)).toMatchObject({ send: { seq: 3 } })
  expect(nextCheckin([sent, checkin(2)], NOW + 45_000)).toMatchObject({ send: { seq: 2 } })
})

test('a photo that belongs to the check-in before it goes at once', () => {
  const sent = { ...checkin(1, { madeMs: 0, sentAtMs: NOW - 20_000 }), state: 'received' as const }
  const photo = new Blob(['a photo'])
  expect(nextCheckin([sent, { ...checkin(2, { madeMs: 30_000 }), photo }], NOW)).toMatchObject({
    send: { seq: 2 },
  })
  expect(nextCheckin([sent, { ...checkin(2, { madeMs: 90_000 }), photo }], NOW)).toEqual({ waitMs: 45_000 })
})

test('all that were saved arrive, each once, and none of one place within a minute', () => {
  const places = fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 20 })
  fc.assert(
    fc.property(places, (lngs) => {
      const all = lngs.map((lng, seq) => checkin(seq, { lng: 120 + lng, madeMs: seq }))
      const arrivals: { lng: number; atMs: number }[] = []
      let nowMs = NOW
      for (let next = nextCheckin(all, nowMs); next !== null; next = nextCheckin(all, nowMs)) {
        if ('waitMs' in next) {
          expect(next.waitMs).toBeGreaterThan(0)
          nowMs += next.waitMs
          continue
        }
        const { lng } = next.send.point
        expect(arrivals.filter((one) => one.lng === lng && nowMs - one.atMs <= MINUTE)).toEqual([])
        arrivals.push({ lng, atMs: nowMs })
        Object.assign(next.send, { state: 'received', sentAtMs: nowMs })
      }
      expect(arrivals.length).toBe(lngs.length)
    }),
    { seed: 18 },
  )
})

test('a full outbox gives up only points of its older half that are less than 30 s apart', () => {
  const entries = Array.from({ length: 40 }, (_, seq) => ({
    seq,
    userId: 'w_one',
    state: 'waiting' as const,
    point: { lat: 24, lng: 120, accuracy: 5, recordedAt: seq * 10_000 },
  }))
  const given = thinned(entries)
  expect(given).toEqual([1, 2, 4, 5, 7, 8, 10, 11, 13, 14, 16, 17, 19])
  expect(OUTBOX_POINTS_MAX * 200).toBe(20_000_000)
})
