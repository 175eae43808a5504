import { PEAK } from './peak.ts'
import type { Due } from './timetable.ts'

export const FIX_EVERY_MS = 60_000 / PEAK.fixesPerMinute
/** 5 km/h for half a minute, in degrees of latitude. */
const STEP_DEGREES = 0.000_375
/** Another place for each check-in: the same one within a minute would be a repeat. */
const CHECKIN_DEGREES = 0.000_01
const CHECKIN_PLACES = 5_000
/** Looks at the map: so many points each. */
const MAP_LIMIT = 1_000
export const MAP_PATH = `/data?limit=${MAP_LIMIT}&format=columns`
/** Prime, so that those who check in, and those who read, are others than those who sync just then. */
const STRIDES = { checkin: 7_919, profile: 104_729 }

export type Request = { method: 'GET' | 'POST'; path: string; body?: string }

const userIdOf = (n: number): string => `P${n.toString(36).padStart(7, '0')}`
const startOf = (n: number) => ({ lat: 24.6 - (n % 1_000) / 2_000, lng: 120.7 + (n % 97) / 1_000 })
const post = (path: string, body: object): Request => ({ method: 'POST', path, body: JSON.stringify(body) })

const syncOf = (n: number, step: number, times: readonly number[]): Request => {
  const { lat, lng } = startOf(n)
  const points = times.map((recordedAt, at) => ({
    lat: Number((lat + (step + at) * STEP_DEGREES).toFixed(6)),
    lng,
    accuracy: 8,
    speed: 4.8,
    recordedAt,
  }))
  return post('/track/sync', { userId: userIdOf(n), points })
}

const checkinOf = (n: number, turn: number, recordedAt?: number): Request => {
  const { lat, lng } = startOf(n)
  const moved = Number((lng + (turn % CHECKIN_PLACES) * CHECKIN_DEGREES).toFixed(6))
  return post('/checkin', {
    userId: userIdOf(n),
    lat,
    lng: moved,
    accuracy: 8,
    ...(recordedAt && { recordedAt }),
  })
}

const profileOf = (n: number): Request => ({ method: 'GET', path: `/user/${userIdOf(n)}` })

/** Some of the people in the stores: `participants` of them, from the `first` on. */
export type Sample = { first: number; participants: number }

/** The `round`-th sync of each participant of a sample, with the fixes since the one before. */
export function* syncsOf(
  { first, participants }: Sample,
  { beganMs, round, pointsPerSync }: { beganMs: number; round: number; pointsPerSync: number },
): Iterator<Request, void> {
  const step = round * pointsPerSync
  for (let n = first; n < first + participants; n++) {
    const timeOf = (_: unknown, at: number) => beganMs + (step + at) * FIX_EVERY_MS + (n % 1_000)
    yield syncOf(n, step, Array.from({ length: pointsPerSync }, timeOf))
  }
}

/** How many syncs carry the fixes of so many minutes. */
export const roundsOf = (minutes: number, pointsPerSync: number): number =>
  Math.ceil((minutes * PEAK.fixesPerMinute) / pointsPerSync)

/** A departure: one check-in of each participant, each turn at another place. */
export function* departure(
  participants: number,
  { turn, recordedAt }: { turn: number; recordedAt?: number },
): Iterator<Request, void> {
  for (let n = 0; n < participants; n++) yield checkinOf(n, turn, recordedAt)
}

/** The profile of each participant. */
export function* profiles(participants: number): Iterator<Request, void> {
  for (let n = 0; n < participants; n++) yield profileOf(n)
}

/** The same path every time. */
export function* repeated(path: string, times: number): Iterator<Request, void> {
  for (let n = 0; n < times; n++) yield { method: 'GET', path }
}

/** The request that is due at `nowMs`, of one of so many people: each in turn. */
export function requestOf(
  { kind, index }: Due,
  { people, nowMs }: { people: number; nowMs: number },
): Request {
  const { pointsPerSync } = PEAK
  switch (kind) {
    case 'sync': {
      const step = (Math.floor(index / people) + 1_000) * pointsPerSync
      const timeOf = (_: unknown, at: number) => nowMs - (pointsPerSync - 1 - at) * FIX_EVERY_MS
      return syncOf(index % people, step, Array.from({ length: pointsPerSync }, timeOf))
    }
    case 'checkin':
      // The places before these are those of the departures.
      return checkinOf((index * STRIDES.checkin) % people, 10 + index)
    case 'profile':
      return profileOf((index * STRIDES.profile) % people)
    case 'map':
      return { method: 'GET', path: MAP_PATH }
  }
}

/** How many points the answer to it promises to keep. */
export const pointsOf = ({ kind }: Pick<Due, 'kind'>): number =>
  kind === 'sync' ? PEAK.pointsPerSync : kind === 'checkin' ? 1 : 0

/** The status of a request that was done. */
export const doneStatus = ({ kind }: Pick<Due, 'kind'>): number => (kind === 'checkin' ? 202 : 200)

/** The request as bytes of HTTP/1.1. */
export function wire(url: URL, { method, path, body }: Request, { closes = false } = {}): Uint8Array {
  const length =
    body === undefined ? '' : `content-type: application/json\r\ncontent-length: ${body.length}\r\n`
  const close = closes ? 'connection: close\r\n' : ''
  return new TextEncoder().encode(
    `${method} ${url.pathname}${path} HTTP/1.1\r\nhost: ${url.host}\r\nuser-agent: pilgrimage\r\n${close}${length}\r\n${body ?? ''}`,
  )
}
