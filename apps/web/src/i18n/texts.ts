import type { Language, Localized } from '@palanquin/domain/language'
import { EN } from './en.ts'
import { type Texts, ZH_TW } from './zh-tw.ts'

const TEXTS: Localized<Texts> = { 'zh-TW': ZH_TW, en: EN }

/** For the build and tests: a page has the texts of its language in its head. */
export const textsOf = (language: Language): Texts => TEXTS[language]
