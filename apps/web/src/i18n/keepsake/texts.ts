import type { Language, Localized } from '@palanquin/domain/language'
import { useTexts } from '../../parts/context.ts'
import { KEEPSAKE_EN } from './en.ts'
import { KEEPSAKE_ZH_TW, type KeepsakeTexts } from './zh-tw.ts'

export type { KeepsakeTexts } from './zh-tw.ts'

export const KEEPSAKE_TEXTS: Localized<KeepsakeTexts> = { 'zh-TW': KEEPSAKE_ZH_TW, en: KEEPSAKE_EN }

/** The texts of the look back, which only its own chunk loads. */
export function useKeepsakeTexts(): { language: Language; keepsake: KeepsakeTexts } {
  const { language } = useTexts()
  return { language, keepsake: KEEPSAKE_TEXTS[language] }
}
