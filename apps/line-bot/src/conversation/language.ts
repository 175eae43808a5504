import { DEFAULT_LANGUAGE, type Language } from '@palanquin/domain/language'
import type { User } from '../users/store.ts'

/** The language of a LINE profile (`en`, `zh-Hant`, `zh-TW`) as one of ours; null for any other. */
export function languageOfProfile(language: string | null | undefined): Language | null {
  const name = (language ?? '').toLowerCase()
  if (name === 'en' || name.startsWith('en-')) return 'en'
  return name === 'zh' || name.startsWith('zh-') ? 'zh-TW' : null
}

/** The chosen language, else that of the LINE profile, else Chinese. */
export const languageOf = (user: Pick<User, 'language' | 'profileLanguage'>): Language =>
  user.language ?? languageOfProfile(user.profileLanguage) ?? DEFAULT_LANGUAGE
