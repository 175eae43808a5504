import type { Language, Localized } from '@palanquin/domain/language'
import { useTexts } from '../../parts/context.ts'
import { ME_EN } from './en.ts'
import { ME_ZH_TW, type MeTexts } from './zh-tw.ts'

export type { MeTexts } from './zh-tw.ts'

export const ME_TEXTS: Localized<MeTexts> = { 'zh-TW': ME_ZH_TW, en: ME_EN }

/** The texts of `/me`, apart from those of all pages: only this page loads them. */
export function useMeTexts(): { language: Language; me: MeTexts } {
  const { language } = useTexts()
  return { language, me: ME_TEXTS[language] }
}
