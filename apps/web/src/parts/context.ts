import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { type Language, type Texts, textsOf } from '../i18n/texts.ts'

export const LanguageContext = createContext<Language>('zh-TW')

/** The reader's language and its texts. */
export function useTexts(): { language: Language; texts: Texts } {
  const language = useContext(LanguageContext)
  return { language, texts: textsOf(language) }
}
