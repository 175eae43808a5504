import { LANGUAGES, type Language, type Localized } from '@palanquin/domain/language'
import { Asset } from '../prebuilt/asset.ts'
import type { BuildFile } from './build-files.ts'

export const DOCUMENT_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-cache',
  vary: 'accept-language',
  'permissions-policy':
    'geolocation=(self), camera=(self), screen-wake-lock=(self), microphone=(), payment=()',
  'cross-origin-opener-policy': 'same-origin-allow-popups',
}

/** Their address is a secret: nothing keeps the page, and no link from it reveals it. */
export const SECRET_PAGES = ['setup', 'share', 'share-ended']
const SECRET_HEADERS = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }

/** What the gateway writes into every page. */
export type PageFacts = {
  eventName: Localized<string>
  baseUrl: string
  apiBase: string
  /** The path of the base map; empty without one. */
  baseMap: string
  /** Where LINE Login begins, with our channel in the query; empty where it is not set up. */
  lineLogin: string
  /** The id of the LIFF app, and the script that LINE gives such pages; empty without one. */
  liffId: string
  liffSdk: string
}
export const fileOf = (page: string, language: Language): string => `pages/${page}.${language}.html`

/** The documents of every page and language with what the gateway writes into them, by their files. */
export function documentsWith(
  files: ReadonlyMap<string, BuildFile>,
  { facts, policy }: { facts: PageFacts; policy: string },
): Map<string, Asset> {
  const documents = new Map<string, Asset>()
  const headers = { ...DOCUMENT_HEADERS, 'content-security-policy': policy }
  const secretHeaders = { ...headers, ...SECRET_HEADERS }
  for (const language of LANGUAGES)
    for (const [file, { bytes }] of files)
      if (file.endsWith(`.${language}.html`)) {
        const named = { ...facts, eventName: facts.eventName[language] }
        const html = withFacts(new TextDecoder().decode(bytes), named)
        const isSecret = SECRET_PAGES.some((page) => file === fileOf(page, language))
        documents.set(file, new Asset(html, isSecret ? secretHeaders : headers))
      }
  return documents
}

const ESCAPED: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ESCAPED[character] ?? character)

/** The HTML of a page with what the gateway knows at its start; other placeholders stay. */
export const withFacts = (
  html: string,
  { eventName, baseUrl, apiBase, baseMap, lineLogin, liffId, liffSdk }: Record<keyof PageFacts, string>,
): string =>
  filled(html, {
    '%EVENT_NAME%': eventName,
    '%BASE_URL%': baseUrl,
    '%API_BASE%': apiBase,
    '%BASE_MAP%': baseMap,
    '%LINE_LOGIN%': lineLogin,
    '%LIFF_ID%': liffId,
    '%LIFF_SDK%': liffSdk,
  })

/** Puts values, escaped, in place of `%NAMES%`; in one pass, so that no value is taken for a name. */
export const filled = (html: string, values: Readonly<Record<string, string>>): string =>
  html.replace(/%[A-Z_]+%/g, (name) => (name in values ? escaped(values[name] ?? '') : name))
