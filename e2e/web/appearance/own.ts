/** What the API answers somebody of themselves: a participant who has walked the first two days. */
import { NOW } from './activity.ts'

const PERSON = { userId: 'w_0000000000000000000000', kind: 'device', expiresAt: '2026-05-14T00:00:00Z' }
const CODE = { recoveryCode: 'TQDXQ-AF543-60W5Z-62MDW' }
const SESSION = {
  id: '0198c0de-7a31-7c2e-9d4b-1f60a4b7c813',
  kind: 'device',
  device: 'iPhone · Safari',
  current: true,
  createdAt: NOW,
  lastSeenAt: NOW,
  expiresAt: '2026-05-14T00:00:00Z',
}
const HOUR_MS = 3_600_000
const NOW_MS = Date.parse(NOW)

const PROFILE = {
  userId: PERSON.userId,
  displayName: '林阿梅',
  pictureUrl: null,
  language: 'zh-TW',
  status: 'active',
  consentAt: NOW,
  privacyConsent: true,
  visibility: 'named',
  surveyCompleted: 0,
  hasPhone: true,
  phone: '+886•••••678',
  distanceKm: 41.37,
  walkedKm: 38.2,
  motorizedKm: 3.17,
  checkins: 2,
  photos: 0,
  // A sign that the fonts of the references have.
  level: {
    level: 1,
    nameZh: '煉氣香客',
    nameEn: 'Qi Refining Pilgrim',
    icon: '★',
    next: { level: 2, kmToGo: 0, checkinsToGo: 3 },
  },
  carbon: {
    travelKg: 1.4,
    trackedKg: 1.4,
    waterKg: 0,
    recycleKg: 0,
    hotelKg: 0,
    totalKg: 1.4,
    avoidedKg: 6.02,
  },
  achievement: { unlocked: false, missing: ['checkins', 'survey'] },
  lastSeenAt: NOW,
}

/** Two mornings from five o'clock on, from north to south, a point every quarter of an hour. */
const TRACK = {
  type: 'FeatureCollection',
  features: [
    { hoursAgo: 27.5, points: 36 },
    { hoursAgo: 3.5, points: 14 },
  ].flatMap(({ hoursAgo, points }, day) =>
    Array.from({ length: points }, (_, index) => {
      const coordinates = [120.7081 - day * 0.04 - index * 0.001, 24.5663 - day * 0.12 - index * 0.003]
      const recordedAt = new Date(NOW_MS - hoursAgo * HOUR_MS + (index * HOUR_MS) / 4).toISOString()
      const kind = index === 12 ? 'checkin' : 'track'
      return {
        type: 'Feature',
        geometry: { type: 'Point', coordinates },
        properties: { kind, recordedAt, accuracy: 8, speed: null, source: 'web', note: null },
      }
    }),
  ),
}

type Answers = [end: string, body: object | null][]

/** The answers by the end of their path; null is a 204. */
export function ownAnswers({
  method,
  isSignedIn,
  isWithdrawn = false,
}: {
  method: string
  isSignedIn: boolean
  isWithdrawn?: boolean | undefined
}): Answers {
  if (method === 'POST')
    return [
      ['/session', { data: { ...PERSON, ...CODE } }],
      ['/privacy', { data: {} }],
      ['/user/sync', { data: PROFILE }],
      ['/track/sync', { data: { accepted: 1, duplicates: 0, rejected: [] } }],
    ]
  if (!isSignedIn) return [['/session', null]]
  return [
    ['/session', { data: PERSON }],
    ['/user/@me', { data: { ...PROFILE, ...(isWithdrawn && { status: 'withdrawn' }) } }],
    ['/track', TRACK],
    ['/share', { ok: true, data: null }],
    ['/sessions', { data: { items: [SESSION], nextCursor: null, total: 1 } }],
    ['/devices', { data: { items: [] } }],
    ['/photos', { data: { items: [], nextCursor: null, total: 0 } }],
  ]
}
