/** Level titles: the highest whose kilometres and check-ins are both reached. Specification 2.2. */
import Type, { type Static } from 'typebox'
import { Nullable } from './optional'
import { ceil3 } from './round'

export type Level = {
  readonly level: number
  readonly nameZh: string
  readonly nameEn: string
  readonly icon: string
  readonly minKm: number
  readonly minCheckins: number
}

/** Which kilometres a level counts: all (specification 2.2) or those on foot (contract 3.7). */
export const LEVEL_KM = ['total', 'walked'] as const
export type LevelKm = (typeof LEVEL_KM)[number]

/** The kilometres that a level counts. */
export const levelKmOf = (
  levelKm: LevelKm,
  { walkedKm, motorizedKm }: { walkedKm: number; motorizedKm: number },
): number => (levelKm === 'walked' ? walkedKm : walkedKm + motorizedKm)

/** The nine levels, lowest first. */
export const LEVELS: readonly Level[] = [
  { level: 1, nameZh: '煉氣香客', nameEn: 'Qi Refining Pilgrim', icon: '🔥', minKm: 0, minCheckins: 1 },
  { level: 2, nameZh: '築基香客', nameEn: 'Foundation Pilgrim', icon: '🧱', minKm: 15, minCheckins: 5 },
  { level: 3, nameZh: '金丹香客', nameEn: 'Golden Core Pilgrim', icon: '💛', minKm: 45, minCheckins: 10 },
  { level: 4, nameZh: '元嬰香客', nameEn: 'Nascent Soul Pilgrim', icon: '👶', minKm: 90, minCheckins: 15 },
  { level: 5, nameZh: '化神香客', nameEn: 'Spirit Pilgrim', icon: '✨', minKm: 135, minCheckins: 20 },
  { level: 6, nameZh: '煉虛香客', nameEn: 'Void Pilgrim', icon: '🌀', minKm: 180, minCheckins: 25 },
  { level: 7, nameZh: '合體香客', nameEn: 'Unity Pilgrim', icon: '🤝', minKm: 225, minCheckins: 30 },
  { level: 8, nameZh: '大乘香客', nameEn: 'Mahayana Pilgrim', icon: '🏆', minKm: 270, minCheckins: 35 },
  { level: 9, nameZh: '飛升香客', nameEn: 'Ascended Pilgrim', icon: '🚀', minKm: 300, minCheckins: 40 },
]

/** The level reached, from unrounded kilometres; null below one check-in (contract section 2). */
export function computeLevel(km: number, checkins: number): Level | null {
  // A loop: a map of 300,000 asks for each of them, and a function for each would be garbage.
  for (let at = LEVELS.length - 1; at >= 0; at--) {
    const level = LEVELS[at]
    if (level && km >= level.minKm && checkins >= level.minCheckins) return level
  }
  return null
}

/** The level after the one reached, and what is missing (unrounded); null at level 9. */
export function nextLevel(
  km: number,
  checkins: number,
): { level: Level; kmToGo: number; checkinsToGo: number } | null {
  const level = LEVELS[computeLevel(km, checkins)?.level ?? 0]
  if (level === undefined) return null
  return {
    level,
    kmToGo: Math.max(0, level.minKm - km),
    checkinsToGo: Math.max(0, level.minCheckins - checkins),
  }
}

/** `level` of `GET /user/{userId}`; null below one check-in. */
export const LevelAnswer = Nullable(
  Type.Object({
    level: Type.Integer({ minimum: 1, maximum: 9, description: 'the number of the level' }),
    nameZh: Type.String({ description: 'its title in Chinese' }),
    nameEn: Type.String({ description: 'its title in English' }),
    icon: Type.String({ description: 'an emoji' }),
    next: Nullable(
      Type.Object({
        level: Type.Integer({ minimum: 2, maximum: 9, description: 'the number of the next level' }),
        kmToGo: Type.Number({ minimum: 0, description: 'kilometres that are missing, rounded up' }),
        checkinsToGo: Type.Integer({ minimum: 0, description: 'check-ins that are missing' }),
      }),
      'what the next level takes; null at level 9',
    ),
  }),
  'the level reached; null below one check-in',
)
export type LevelAnswer = Static<typeof LevelAnswer>

/** The level as responses show it; `kmToGo` is rounded up. */
export function levelAnswer(km: number, checkins: number): LevelAnswer {
  const reached = computeLevel(km, checkins)
  if (reached === null) return null
  const { level, nameZh, nameEn, icon } = reached
  const next = nextLevel(km, checkins)
  if (next === null) return { level, nameZh, nameEn, icon, next: null }
  const { kmToGo, checkinsToGo } = next
  return {
    level,
    nameZh,
    nameEn,
    icon,
    next: { level: next.level.level, kmToGo: ceil3(kmToGo), checkinsToGo },
  }
}
