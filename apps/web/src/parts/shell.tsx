import { otherLanguage } from '@palanquin/domain/language'
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { STORE_CHANGED, storeWorks } from '../store.ts'
import { useTexts } from './context.ts'
import { Icon } from './icon.tsx'

export type PageName =
  | 'home'
  | 'map'
  | 'me'
  | 'privacy'
  | 'survey'
  | 'feedback'
  | 'lost'
  | 'found'
  | 'card'
  | 'share'
  | 'share-ended'
  | 'setup'
  | 'not-found'
/** Where each page is. */
export const PATHS: Record<PageName, string> = {
  home: '/',
  map: '/map',
  me: '/me',
  privacy: '/privacy',
  survey: '/survey',
  feedback: '/feedback',
  lost: '/lost',
  found: '/found',
  // At an address of its own: the switch keeps it.
  card: '',
  share: '',
  'share-ended': '',
  setup: '',
  'not-found': '/',
}

/** Every page: the way to skip to the content, the bar with the language switch, the content. */
export function Shell({ page, children }: { page: PageName; children: ComponentChildren }) {
  const { language, texts } = useTexts()
  const other = otherLanguage(language)
  return (
    <>
      <a class="skip" href="#content">
        {texts.skipToContent}
      </a>
      <header class="bar">
        <a class="bar-home" href={`/?lang=${language}`}>
          <Icon name="lantern" />
          <span>
            {texts.siteName}
            <span class="visually-hidden"> · {texts.home}</span>
          </span>
        </a>
        <a class="bar-language" href={`${PATHS[page]}?lang=${other}`} lang={other} hreflang={other}>
          {texts.otherLanguage}
        </a>
      </header>
      <main id="content" tabIndex={-1} class={`page page-${page}`}>
        <StoreTrouble />
        {children}
      </main>
    </>
  )
}

/** The links at the foot of a page that is read to its end. */
export function Foot() {
  const { language, texts } = useTexts()
  return (
    <footer class="foot">
      <a href={`/map?lang=${language}`}>{texts.map}</a>
      <a href={`/me?lang=${language}`}>{texts.myWalk}</a>
      <a href={`/privacy?lang=${language}`}>{texts.privacy}</a>
    </footer>
  )
}

/** What it means for the person that this phone keeps nothing, as long as that is so. */
function StoreTrouble() {
  const { texts } = useTexts()
  const [works, setWorks] = useState(true)
  useEffect(() => {
    const look = () => setWorks(storeWorks())
    look()
    addEventListener(STORE_CHANGED, look)
    return () => removeEventListener(STORE_CHANGED, look)
  }, [])
  if (works) return null
  return (
    <p class="banner banner-trouble" role="status">
      {texts.noStorage}
    </p>
  )
}
