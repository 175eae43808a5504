import type { Localized } from '@palanquin/domain/language'
import { useTexts } from '../../parts/context.ts'
import { SETUP_EN } from './en.ts'
import { SETUP_ZH_TW, type SetupTexts } from './zh-tw.ts'

export type { SetupTexts } from './zh-tw.ts'

export const SETUP_TEXTS: Localized<SetupTexts> = { 'zh-TW': SETUP_ZH_TW, en: SETUP_EN }

/** The texts of `/setup`, and of the apps on `/me`: only these pages load them. */
export const useSetupTexts = (): SetupTexts => SETUP_TEXTS[useTexts().language]
