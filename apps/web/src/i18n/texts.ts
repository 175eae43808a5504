import { EN } from './en.ts'
import { type Texts, ZH_TW } from './zh-tw.ts'

export type { Texts } from './zh-tw.ts'

/** The languages of the pages, as `lang` and `?lang` say them; the first is the default. */
export const LANGUAGES = ['zh-TW', 'en'] as const
export type Language = (typeof LANGUAGES)[number]

const TEXTS: Record<Language, Texts> = { 'zh-TW': ZH_TW, en: EN }

export const textsOf = (language: Language): Texts => TEXTS[language]

export const otherLanguage = (language: Language): Language => (language === 'en' ? 'zh-TW' : 'en')

/** Puts values into a text: `fill('{n} km', { n: 3 })` is `3 km`. */
export function fill(text: string, values: Record<string, string | number>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole))
}
