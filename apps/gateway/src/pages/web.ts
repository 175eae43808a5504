import { ConfigurationError } from '@palanquin/service/config'
import type { LocalRoute } from '../app.ts'
import type { PlainResponse } from '../response.ts'
import { appRoutes } from './app-files.ts'
import { Asset } from './asset.ts'
import { readBuild } from './build-files.ts'
import { languageOf, PAGE_LANGUAGES, type PageLanguage } from './language.ts'
import { LIFF_POLICY, mayLoadLiff, POLICY } from './policy.ts'

/** Pages by the path at which each is served; `apps/web` builds a file of that name in each language. */
const PAGES: Readonly<Record<string, string>> = {
  '/': 'home',
  '/map': 'map',
  '/survey': 'survey',
  '/feedback': 'feedback',
  '/privacy': 'privacy',
}
const NOT_FOUND = 'not-found'

const DOCUMENT_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-cache',
  'content-security-policy': POLICY,
  'permissions-policy':
    'geolocation=(self), camera=(self), screen-wake-lock=(self), microphone=(), payment=()',
  'cross-origin-opener-policy': 'same-origin-allow-popups',
}
const ASSET_CACHE = 'public, max-age=31536000, immutable'

/** What the gateway writes into every page. */
export type PageFacts = {
  eventName: Readonly<Record<PageLanguage, string>>
  baseUrl: string
  apiBase: string
  /** The path of the base map; empty without one. */
  baseMap: string
}
type PageOptions = {
  /** Whether `LIFF_URL` is set: pages opened inside LINE may then load LINE's script. */
  hasLiff: boolean
}

export type WebPages = {
  routes: LocalRoute[]
  /** The 404 page in the reader's language, for a browser that asked for a page; null for any other client. */
  notFound: (request: Request) => Promise<PlainResponse> | null
}

/**
 * The pages of `apps/web` out of its build, held in memory.
 * @throws ConfigurationError when the build is missing or not whole: better no start than pages without their scripts
 */
export function webPages(dist: string, facts: PageFacts, { hasLiff }: PageOptions): WebPages {
  const files = readBuild(dist)
  const documents = new Map<string, Asset>()
  for (const language of PAGE_LANGUAGES)
    for (const [file, { bytes }] of files)
      if (file.endsWith(`.${language}.html`))
        documents.set(
          file,
          new Asset(
            withFacts(new TextDecoder().decode(bytes), { ...facts, eventName: facts.eventName[language] }),
            DOCUMENT_HEADERS,
          ),
        )
  const documentOf = (name: string, language: PageLanguage): Asset => {
    const asset = documents.get(`pages/${name}.${language}.html`)
    if (!asset) throw new ConfigurationError([`the build of the pages has no ${name} in ${language}`])
    return asset
  }
  for (const name of [...Object.values(PAGES), NOT_FOUND])
    for (const language of PAGE_LANGUAGES) documentOf(name, language)

  const show = async (name: string, request: Request): Promise<PlainResponse> => {
    const response = await documentOf(name, languageOf(request)).respond(request.headers)
    const liff = hasLiff && mayLoadLiff(request) ? { 'content-security-policy': LIFF_POLICY } : {}
    return {
      ...response,
      headers: { ...response.headers, ...liff, vary: 'accept-encoding, accept-language' },
    }
  }
  const pages = Object.entries(PAGES).map(
    ([path, name]): LocalRoute => ({ path, limit: 'pages', respond: (request) => show(name, request) }),
  )
  const assets = [...files.values()]
    .filter(({ entry }) => entry.path.startsWith('/assets/'))
    .map(({ entry, bytes, readyMade }): LocalRoute => {
      const headers = {
        'content-type': entry.type,
        'cache-control': ASSET_CACHE,
        'content-security-policy': POLICY,
      }
      const asset = new Asset(bytes, headers, readyMade)
      return { path: entry.path, limit: 'pages', respond: (request) => asset.respond(request.headers) }
    })
  return {
    routes: [...pages, ...assets, ...appRoutes(files, facts.eventName)],
    notFound: (request) => {
      const { pathname } = new URL(request.url)
      const wantsPage =
        ['GET', 'HEAD'].includes(request.method) &&
        (request.headers.get('accept') ?? '').includes('text/html')
      if (!wantsPage || pathname === '/api' || pathname.startsWith('/api/')) return null
      return show(NOT_FOUND, request).then((answer) => ({
        ...answer,
        status: answer.status === 304 ? 304 : 404,
      }))
    },
  }
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

const withFacts = (
  html: string,
  { eventName, baseUrl, apiBase, baseMap }: Record<keyof PageFacts, string>,
): string => {
  const facts: Record<string, string> = {
    '%EVENT_NAME%': eventName,
    '%BASE_URL%': baseUrl,
    '%API_BASE%': apiBase,
    '%BASE_MAP%': baseMap,
  }
  return html.replace(/%[A-Z_]+%/g, (name) => (name in facts ? escaped(facts[name] ?? '') : name))
}
