import type { Language } from '@palanquin/domain/language'
import { DEFAULT_LANGUAGE } from '@palanquin/domain/language'
import { LEVELS } from '@palanquin/domain/level'
import type { Profile } from '@palanquin/domain/participant'
import { nameOf } from './display-name.ts'

/** What cards show of the event. */
export type EventFacts = { nameZh: string; nameEn: string; dates: string | null }

/** The share of the way to the next level, from 0 to 1, and what is missing. */
export type Progress = { share: number; toGo: number }

/** Everything that a card shows, rounded, so that equal content is the same image; nothing personal but the name. */
export type CardContent = {
  language: Language
  event: EventFacts
  /** Without control characters; null for a participant without a name. */
  name: string | null
  /** 1 to 9; 0 before the first check-in. */
  level: number
  unlocked: boolean
  km: number
  checkins: number
  avoidedKg: number
  /** Null at the highest level. */
  next: { level: number; km: Progress; checkins: Progress } | null
}

const TENTHS = 10
/** A bar of 300 pixels moves in steps of three. */
const SHARE_STEPS = 100

/** Never more than was walked: 14.96 km is not yet the 15.0 of the next level. */
const floorTenths = (value: number): number => Math.floor(value * TENTHS + 1e-6) / TENTHS
/** Never less than is missing. */
const ceilTenths = (value: number): number => Math.ceil(value * TENTHS - 1e-6) / TENTHS

/** What the card of a participant shows, from the figures of `GET /user/{userId}`. */
export function contentOf(profile: Profile, event: EventFacts): CardContent {
  const { distanceKm, checkins, carbon, achievement, displayName } = profile
  const level = profile.level?.level ?? 0
  return {
    language: profile.language ?? DEFAULT_LANGUAGE,
    event,
    name: nameOf(displayName ?? ''),
    level,
    unlocked: achievement.unlocked,
    km: floorTenths(distanceKm),
    checkins,
    avoidedKg: floorTenths(carbon.avoidedKg),
    next: progressOf(level, { km: levelKm(profile), checkins }),
  }
}

/** The kilometres that count for the level, from what is missing to the next (`LEVEL_KM` is engagement's). */
function levelKm({ distanceKm, level }: Profile): number {
  const next = level?.next && LEVELS[level.level]
  return level?.next && next ? next.minKm - level.next.kmToGo : distanceKm
}

/** The progress from a level to the next; null at the highest. */
export function progressOf(level: number, reached: { km: number; checkins: number }): CardContent['next'] {
  const next = LEVELS[level]
  if (!next) return null
  const from = LEVELS[level - 1] ?? { minKm: 0, minCheckins: 0 }
  const progress = (value: number, start: number, goal: number): Progress => {
    const share = goal <= start || value >= goal ? 1 : Math.max(0, (value - start) / (goal - start))
    return {
      share: Math.floor(share * SHARE_STEPS) / SHARE_STEPS,
      toGo: ceilTenths(Math.max(0, goal - value)),
    }
  }
  return {
    level: next.level,
    km: progress(reached.km, from.minKm, next.minKm),
    checkins: progress(reached.checkins, from.minCheckins, next.minCheckins),
  }
}
