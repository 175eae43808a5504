import { computeLevel, levelAnswer } from '@palanquin/domain/level'
import type { Profile } from '@palanquin/domain/participant'

/** What differs from the plain profile. */
export type Facts = {
  name?: string | null
  km?: number
  checkins?: number
  language?: 'zh-TW' | 'en'
  unlocked?: boolean
}

/** A profile as engagement answers it. */
export function profileOf(
  userId: string,
  { name = '林媽媽', km = 61.22, checkins = 12, language = 'zh-TW', unlocked = false }: Facts = {},
): Profile {
  return {
    userId,
    displayName: name,
    pictureUrl: null,
    language,
    status: 'active',
    privacyConsent: true,
    surveyCompleted: unlocked ? 1 : 0,
    hasPhone: unlocked,
    phone: unlocked ? '+886•••••678' : null,
    distanceKm: km,
    walkedKm: km,
    motorizedKm: 0,
    checkins,
    photos: 0,
    level: computeLevel(km, checkins) ? levelAnswer(km, checkins) : null,
    carbon: {
      travelKg: 0,
      trackedKg: 0,
      waterKg: 0,
      recycleKg: 0,
      hotelKg: 0,
      totalKg: 0,
      avoidedKg: km * 0.30479,
    },
    achievement: { unlocked, missing: unlocked ? [] : ['survey', 'phone'] },
    lastSeenAt: null,
  }
}
