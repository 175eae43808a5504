import type { Profile } from '@palanquin/domain/participant'

/** Examples for the API document; a test checks them against the schemas. */
export const USER_ID = 'U4af4980629c1f0b8d3e5a7c6b9d0e1f2'

export const PROFILE: Profile = {
  userId: USER_ID,
  displayName: '林媽媽',
  pictureUrl: null,
  language: 'zh-TW',
  status: 'active',
  privacyConsent: true,
  surveyCompleted: 0,
  hasPhone: true,
  phone: '+886•••••678',
  distanceKm: 12.345,
  walkedKm: 12.1,
  motorizedKm: 0.245,
  checkins: 4,
  photos: 0,
  level: {
    level: 1,
    nameZh: '煉氣香客',
    nameEn: 'Qi Refining Pilgrim',
    icon: '🔥',
    next: { level: 2, kmToGo: 2.655, checkinsToGo: 1 },
  },
  carbon: {
    travelKg: 0,
    trackedKg: 0.029,
    waterKg: 0,
    recycleKg: 0,
    hotelKg: 0,
    totalKg: 0.029,
    avoidedKg: 3.688,
  },
  achievement: { unlocked: false, missing: ['survey'] },
  lastSeenAt: '2026-05-01T15:00:00.000Z',
}
