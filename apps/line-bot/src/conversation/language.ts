import type { Language } from '@palanquin/domain/participant'
import type { User } from '../users/store.ts'

export const DEFAULT_LANGUAGE: Language = 'zh-TW'

/** A language of ours out of what a LINE profile says (`en`, `zh-Hant`, `zh-TW`); null for any other. */
export function languageOfProfile(language: string | null | undefined): Language | null {
  const name = (language ?? '').toLowerCase()
  if (name === 'en' || name.startsWith('en-')) return 'en'
  return name === 'zh' || name.startsWith('zh-') ? 'zh-TW' : null
}

/** What they chose, then what their profile says, then Chinese. */
export const languageOf = (person: Pick<User, 'language' | 'profileLanguage'>): Language =>
  person.language ?? languageOfProfile(person.profileLanguage) ?? DEFAULT_LANGUAGE
