import type { Language } from '@palanquin/domain/language'
import { renderToString } from 'preact-render-to-string'
import { textsOf } from './i18n/texts.ts'
import { CARD_PLACEHOLDERS } from './pages/card/facts.ts'
import type { PageEntry } from './pages/pages.ts'
import { LanguageContext } from './parts/context.ts'
import { replaceTexts } from './parts/replaced-texts.ts'

/** Files of the build that a page names, by their hashed paths. */
export type PageAssets = {
  script: string
  preload: readonly string[]
  styles: readonly string[]
  mapWorker: string
  mapStyles: string
  outlines: string
  icon: string
}

/** What the gateway puts in when it starts: escaped for HTML there. */
const PLACEHOLDERS = {
  eventName: '%EVENT_NAME%',
  baseUrl: '%BASE_URL%',
  apiBase: '%API_BASE%',
  baseMap: '%BASE_MAP%',
  lineLogin: '%LINE_LOGIN%',
  liffId: '%LIFF_ID%',
  liffSdk: '%LIFF_SDK%',
} as const

/** Chats show the card itself; search engines are not to list people. */
const cardPreview = [
  `<meta name="description" content="${CARD_PLACEHOLDERS.description}">`,
  `<meta property="og:title" content="${CARD_PLACEHOLDERS.title}">`,
  `<meta property="og:description" content="${CARD_PLACEHOLDERS.description}">`,
  `<meta property="og:url" content="${CARD_PLACEHOLDERS.url}">`,
  `<meta property="og:image" content="${CARD_PLACEHOLDERS.url}.png">`,
  '<meta property="og:image:type" content="image/png">',
  '<meta property="og:image:width" content="1200">',
  '<meta property="og:image:height" content="630">',
  `<meta property="og:image:alt" content="${CARD_PLACEHOLDERS.description}">`,
  '<meta name="twitter:card" content="summary_large_image">',
  '<meta name="robots" content="noindex">',
]

/** A text as the value of an attribute in double quotes. */
const attribute = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')

/** The HTML of a page in one language, drawn in its loading state. */
export function documentOf(
  { Page, title, hasMap, preview, isPrivate, signsIn }: PageEntry,
  language: Language,
  assets: PageAssets,
  icons: string,
): string {
  replaceTexts()
  const texts = textsOf(language)
  const body = renderToString(
    <LanguageContext.Provider value={{ language, texts }}>
      <Page />
    </LanguageContext.Provider>,
  )
  const head = [
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">',
    `<title>${title(texts)} · ${PLACEHOLDERS.eventName}</title>`,
    ...(preview === 'card'
      ? cardPreview
      : [
          `<meta name="description" content="${texts.brandLine}">`,
          `<meta property="og:title" content="${title(texts)} · ${PLACEHOLDERS.eventName}">`,
          `<meta property="og:description" content="${texts.brandLine}">`,
          `<meta property="og:image" content="${PLACEHOLDERS.baseUrl}${assets.icon}">`,
        ]),
    ...(isPrivate ? ['<meta name="robots" content="noindex">'] : []),
    '<meta property="og:type" content="website">',
    `<meta property="og:site_name" content="${PLACEHOLDERS.eventName}">`,
    '<meta name="theme-color" content="#2f1f52">',
    `<meta name="api-base" content="${PLACEHOLDERS.apiBase}">`,
    ...(hasMap
      ? [
          `<meta name="map-worker" content="${assets.mapWorker}">`,
          `<meta name="map-styles" content="${assets.mapStyles}">`,
          `<meta name="map-outlines" content="${assets.outlines}">`,
          `<meta name="base-map" content="${PLACEHOLDERS.baseMap}">`,
        ]
      : []),
    ...(signsIn
      ? [
          `<meta name="line-login" content="${PLACEHOLDERS.lineLogin}">`,
          `<meta name="liff-id" content="${PLACEHOLDERS.liffId}">`,
          `<meta name="liff-sdk" content="${PLACEHOLDERS.liffSdk}">`,
        ]
      : []),
    `<meta name="texts" content="${attribute(JSON.stringify(texts))}">`,
    `<link rel="icon" href="${assets.icon}" type="image/svg+xml">`,
    `<link rel="manifest" href="/manifest.webmanifest?lang=${language}">`,
    ...assets.styles.map((path) => `<link rel="stylesheet" href="${path}">`),
    ...assets.preload.map((path) => `<link rel="modulepreload" href="${path}">`),
    `<script type="module" src="${assets.script}"></script>`,
  ]
  return `<!doctype html>\n<html lang="${language}">\n<head>\n${head.join('\n')}\n</head>\n<body>\n${icons}<noscript><p class="banner">${texts.noScript}</p></noscript><div id="app">${body}</div>\n</body>\n</html>\n`
}

/** What a phone shows of the pages once they are on its home screen. */
export const webManifest = (language: Language, icon: string): string => {
  const texts = textsOf(language)
  return JSON.stringify({
    id: '/map',
    name: PLACEHOLDERS.eventName,
    short_name: texts.siteName,
    description: texts.brandLine,
    lang: language,
    start_url: '/map',
    scope: '/',
    display: 'standalone',
    background_color: '#2f1f52',
    theme_color: '#2f1f52',
    icons: [{ src: icon, sizes: 'any', type: 'image/svg+xml' }],
  })
}
