import { type ComponentType, hydrate } from 'preact'
import { LanguageContext, type Reading } from './parts/context.ts'
import { replaceTexts } from './parts/replaced-texts.ts'
import { registerServiceWorker } from './sw-register.ts'
import { installTrustedTypes } from './trusted-types.ts'

/** What the build wrote into the head. */
function reading(): Reading {
  const written = document.querySelector<HTMLMetaElement>('meta[name="texts"]')?.content
  if (!written) throw new Error('this page has no texts')
  return { language: document.documentElement.lang === 'en' ? 'en' : 'zh-TW', texts: JSON.parse(written) }
}

/** Takes over a page that the build has drawn in its loading state. */
export function mount(Page: ComponentType): void {
  installTrustedTypes()
  replaceTexts()
  measureScrollbar()
  const root = document.getElementById('app')
  if (root === null) throw new Error('this page has no #app')
  hydrate(
    <LanguageContext.Provider value={reading()}>
      <Page />
    </LanguageContext.Provider>,
    root,
  )
  registerServiceWorker()
}

/** Tells the styles (`--scrollbar`) how wide the page's scrollbar is: `100vw` counts it. */
function measureScrollbar(): void {
  const root = document.documentElement
  new ResizeObserver(() => {
    root.style.setProperty('--scrollbar', `${innerWidth - root.clientWidth}px`)
  }).observe(root)
}
