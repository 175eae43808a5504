import { EN } from './en.ts'
import type { Language } from './language.ts'
import { type Texts, ZH_TW } from './zh-tw.ts'

const TEXTS: Record<Language, Texts> = { 'zh-TW': ZH_TW, en: EN }

/** For the build and tests: a page has the texts of its language in its head. */
export const textsOf = (language: Language): Texts => TEXTS[language]
