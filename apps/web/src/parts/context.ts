import type { Language } from '@palanquin/domain/language'
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Texts } from '../i18n/zh-tw.ts'

/** The reader's language and its texts: a page carries those of its own language alone. */
export type Reading = { language: Language; texts: Texts }

export const LanguageContext = createContext<Reading | null>(null)

/** The reader's language and its texts. */
export function useTexts(): Reading {
  const reading = useContext(LanguageContext)
  if (reading === null) throw new Error('a page is drawn within a LanguageContext')
  return reading
}
