/** The languages of the pages, as `lang` and `?lang` say them; the first is the default. */
export const LANGUAGES = ['zh-TW', 'en'] as const
export type Language = (typeof LANGUAGES)[number]

export const otherLanguage = (language: Language): Language => (language === 'en' ? 'zh-TW' : 'en')
