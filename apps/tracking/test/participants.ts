import { comparePreference } from '@palanquin/domain/distance'
import { type Ledger, outcomeOf, pointKey } from '@palanquin/testing/faults/ledger'
import { seededRandom } from '@palanquin/testing/random'

type Post = (path: string, body: unknown) => Promise<{ status: number; body: unknown } | null>

const DAY_MS = 86_400_000
const POINTS_A_SYNC = 8

type Fix = { lat: number; lng: number; accuracy: number | null; speed: number | null }
type Sent = Omit<Fix, 'speed'> & { recordedAt: number }

/** Between two requests of one: so many keep requests in flight at any moment, and a third of the processors free. */
export const PAUSE_MS = 10

/**
 * Participants who check in and sync again and again, and write down what was answered. One sync in ten lies before
 * the others, so that late points occur; and in half of them a point of an earlier one comes again, more or less sure of
 * its place. `preferred` has of each track point the one of those answered for that counts; `pace` makes each pause so
 * many milliseconds after a request from then on.
 */
export function participants({
  count,
  seed,
  book,
  post,
}: {
  count: number
  seed: number
  book: Ledger
  post: Post
}) {
  const random = seededRandom(seed)
  let stopped = false
  let pauseMs = PAUSE_MS
  const start = Date.now() - 20 * DAY_MS
  const preferred = new Map<string, Fix>()
  const note = (key: string, { lat, lng, accuracy }: Sent) => {
    const fix = { lat, lng, accuracy, speed: null }
    const before = preferred.get(key)
    if (!before || comparePreference(fix, before) < 0) preferred.set(key, fix)
  }

  const walk = async (userId: string) => {
    let step = 0
    const earlier: Sent[] = []
    const points = () => {
      step++
      const base = start + (random.next() < 0.1 ? -step : step) * 400_000
      return Array.from({ length: POINTS_A_SYNC }, (_, i) => ({
        lat: 24 + step * 0.001 + i * 0.0002,
        lng: 120.6 + random.next() * 0.0001,
        recordedAt: base + i * 40_000,
        accuracy: random.next() < 0.2 ? null : random.integer(5, 150),
      }))
    }
    while (!stopped) {
      const [place, ...track] = points()
      const kind = random.next() < 0.5 ? 'checkin' : 'track'
      const again = earlier[random.integer(0, Math.max(0, earlier.length - 1))]
      if (again && random.next() < 0.5)
        track.push({ ...again, lat: again.lat + 0.00002, accuracy: random.integer(1, 200) })
      earlier.push(...track)
      const sent = kind === 'checkin' ? (place ? [place] : []) : track
      const answer =
        kind === 'checkin'
          ? await post('/checkin', { userId, ...place })
          : await post('/track/sync', { userId, points: sent })
      const outcome = tookAll(answer?.body) ? outcomeOf(answer?.status) : 'indeterminate'
      for (const point of sent) {
        const key = pointKey({ userId, kind, recordedAt: point.recordedAt })
        book.note(key, outcome)
        if (outcome === 'acknowledged' && kind === 'track') note(key, point)
      }
      if (outcome !== 'acknowledged') await Bun.sleep(20)
      else if (pauseMs > 0) await Bun.sleep(pauseMs)
    }
  }
  const walking = Array.from({ length: count }, (_, i) => walk(`pilgrim-${seed}-${i}`))
  return {
    preferred,
    pace: (ms: number) => {
      pauseMs = ms
    },
    stop: async () => {
      stopped = true
      await Promise.all(walking)
    },
  }
}

/** A point that a sync rejects (this participant has walked out of the month) is not answered for. */
const tookAll = (body: unknown): boolean => !/"rejected":\[\{/.test(JSON.stringify(body) ?? '')
