/** What the gateway puts into the page of a share card, escaped. */
export const CARD_PLACEHOLDERS = {
  title: '%CARD_TITLE%',
  description: '%CARD_DESCRIPTION%',
  path: '%CARD_PATH%',
  url: '%CARD_URL%',
} as const

/** The card of this page; while the page is built, where it will be put in. */
export function cardFacts(): { title: string; description: string; path: string } {
  if (typeof document === 'undefined') return CARD_PLACEHOLDERS
  const of = (property: string): string =>
    document.querySelector<HTMLMetaElement>(`meta[property="${property}"]`)?.content ?? ''
  return { title: of('og:title'), description: of('og:description'), path: location.pathname }
}
