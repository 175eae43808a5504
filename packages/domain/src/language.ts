/** The languages of pages, chat and cards, by their BCP 47 tags. */
export const LANGUAGES = ['zh-TW', 'en'] as const
export type Language = (typeof LANGUAGES)[number]
export const DEFAULT_LANGUAGE: Language = 'zh-TW'

/** Something in every language: a third language is a compile error wherever it is missing. */
export type Localized<T> = Readonly<Record<Language, T>>

/** What is written in Chinese and English (`{ zh, en }`), in one language. */
export function inLanguage<T>(language: Language, { zh, en }: { zh: T; en: T }): T {
  const localized: Localized<T> = { 'zh-TW': zh, en }
  return localized[language]
}

/** The language that a reader can switch to. */
export const otherLanguage = (language: Language): Language => (language === 'en' ? 'zh-TW' : 'en')
