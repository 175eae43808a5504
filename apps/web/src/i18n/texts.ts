import { EN } from './en.ts'
import { type Texts, ZH_TW } from './zh-tw.ts'

export type { Texts } from './zh-tw.ts'

/** The languages of the pages, as `lang` and `?lang` say them; the first is the default. */
export const LANGUAGES = ['zh-TW', 'en'] as const
export type Language = (typeof LANGUAGES)[number]

const TEXTS: Record<Language, Texts> = { 'zh-TW': ZH_TW, en: EN }

export const textsOf = (language: Language): Texts => TEXTS[language]

export const otherLanguage = (language: Language): Language => (language === 'en' ? 'zh-TW' : 'en')
