/** A share card in a sentence: for link previews, and for people who do not see the picture. */

import Type, { type Static } from 'typebox'
import { fill } from './fill-text'
import { inLanguage, type Language, type Localized } from './language'
import { LEVELS } from './level'
import { Nullable } from './optional'

/** What a shared card shows; nulls where the figures cannot be read now. */
export const SharedCard = Type.Object({
  name: Nullable(Type.String()),
  km: Nullable(Type.Number({ minimum: 0 })),
  checkins: Nullable(Type.Integer({ minimum: 0 })),
  /** 1 to 9; 0 before the first check-in. */
  level: Type.Integer({ minimum: 0, maximum: 9 }),
})
export type SharedCard = Static<typeof SharedCard>

const WORDS = {
  'zh-TW': {
    title: '{name}的進香卡',
    titleWithoutName: '進香卡',
    figures: '走了 {km} 公里，打卡 {checkins} 次',
    unknown: '一路同行的紀念卡',
    stop: '。',
  },
  en: {
    title: 'The pilgrimage card of {name}',
    titleWithoutName: 'A pilgrimage card',
    figures: '{km} km, check-ins: {checkins}',
    unknown: 'A card to remember the walk by',
    stop: '. ',
  },
} as const satisfies Localized<Record<string, string>>

/** The title and the description of a card in a language. */
export function cardInWords(
  { name, km, checkins, level }: SharedCard,
  language: Language,
): { title: string; description: string } {
  const words = WORDS[language]
  const title = name === null ? words.titleWithoutName : fill(words.title, { name })
  const known = LEVELS.find((one) => one.level === level)
  const rank = known && `${known.icon} ${inLanguage(language, { zh: known.nameZh, en: known.nameEn })}`
  const figures = km === null || checkins === null ? words.unknown : fill(words.figures, { km, checkins })
  return { title, description: rank ? `${rank}${words.stop}${figures}` : figures }
}
