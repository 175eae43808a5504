import { LANGUAGES, type Language, type Localized } from '@palanquin/domain/language'
import { computeLevel, LEVELS } from '@palanquin/domain/level'
import { type CardContent, progressOf } from '../render/content.ts'

const KM = [0, 3.24, 17.35, 61.22, 101.94, 150.1, 198.73, 240, 281.55, 326.48]
const CHECKINS = [0, 3, 6, 12, 17, 22, 27, 31, 37, 45]
const CAR_KG_PER_KM = 0.30479

const NAMES: Localized<string> = { 'zh-TW': '林媽媽', en: 'Grandma Lin' }

/** A sample card, and the name of its file. */
type Sample = { name: string; content: CardContent }

const sampleOf = (level: number, language: Language, unlocked: boolean): Sample => {
  const km = KM[level] ?? 0
  const checkins = CHECKINS[level] ?? 0
  if ((computeLevel(km, checkins)?.level ?? 0) !== level) throw new RangeError(`no sample of level ${level}`)
  return {
    name: `level-${level}-${language}${unlocked ? '-achievement' : ''}`,
    content: {
      language,
      event: { nameZh: '白沙屯媽祖進香', nameEn: 'Baishatun Mazu Pilgrimage', dates: '2026.4.12 – 4.20' },
      name: NAMES[language],
      level,
      unlocked,
      km: Math.floor(km * 10) / 10,
      checkins,
      avoidedKg: Math.floor(km * CAR_KG_PER_KM * 10) / 10,
      next: progressOf(level, { km, checkins }),
    },
  }
}

/** Every edition: nine levels and the card before them, in both languages, plain and unlocked. */
export const SAMPLES: readonly Sample[] = [0, ...LEVELS.map(({ level }) => level)].flatMap((level) =>
  (level === 0 ? [false] : [false, true]).flatMap((unlocked) =>
    LANGUAGES.map((language) => sampleOf(level, language, unlocked)),
  ),
)
