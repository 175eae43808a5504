import { type ComponentType, hydrate } from 'preact'
import type { Language } from './i18n/texts.ts'
import { LanguageContext } from './parts/context.ts'
import { registerServiceWorker } from './sw-register.ts'
import { installTrustedTypes } from './trusted-types.ts'

/** Takes over a page that the build has drawn in its loading state. */
export function mount(Page: ComponentType): void {
  installTrustedTypes()
  const root = document.getElementById('app')
  if (root === null) throw new Error('this page has no #app')
  const language: Language = document.documentElement.lang === 'en' ? 'en' : 'zh-TW'
  hydrate(
    <LanguageContext.Provider value={language}>
      <Page />
    </LanguageContext.Provider>,
    root,
  )
  registerServiceWorker()
}
