import type { Localized } from '@palanquin/domain/language'
import { useTexts } from '../../parts/context.ts'
import { LOST_EN } from './en.ts'
import { LOST_ZH_TW, type LostTexts } from './zh-tw.ts'

export type { LostTexts } from './zh-tw.ts'

export const LOST_TEXTS: Localized<LostTexts> = { 'zh-TW': LOST_ZH_TW, en: LOST_EN }

/** The texts of `/lost` and `/found`, apart from those of all pages: only these two load them. */
export const useLostTexts = (): LostTexts => LOST_TEXTS[useTexts().language]
