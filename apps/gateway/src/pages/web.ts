import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigurationError } from '@palanquin/service/config'
import Type, { type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import type { LocalRoute } from '../app.ts'
import type { PlainResponse } from '../response.ts'
import { Asset } from './asset.ts'
import { languageOf, PAGE_LANGUAGES, type PageLanguage } from './language.ts'

/** Pages by the path at which each is served; `apps/web` builds a file of that name in each language. */
const PAGES: Readonly<Record<string, string>> = {
  '/': 'home',
  '/map': 'map',
  '/survey': 'survey',
  '/feedback': 'feedback',
  '/privacy': 'privacy',
}
const NOT_FOUND = 'not-found'

/** Web face, section 1. Trusted Types close the last way from a string to a script. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "manifest-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types default',
].join('; ')
const DOCUMENT_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-cache',
  'content-security-policy': POLICY,
  'permissions-policy':
    'geolocation=(self), camera=(self), screen-wake-lock=(self), microphone=(), payment=()',
  'cross-origin-opener-policy': 'same-origin-allow-popups',
}
const ASSET_CACHE = 'public, max-age=31536000, immutable'

const Entry = Type.Object({
  file: Type.String(),
  path: Type.String(),
  type: Type.String(),
  bytes: Type.Integer(),
})
type Entry = Static<typeof Entry>
const manifest = Compile(Type.Array(Entry))

/** What the gateway writes into every page. */
export type PageFacts = {
  eventName: Readonly<Record<PageLanguage, string>>
  baseUrl: string
  apiBase: string
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
export function webPages(dist: string, facts: PageFacts): WebPages {
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
    return { ...response, headers: { ...response.headers, vary: 'accept-encoding, accept-language' } }
  }
  const pages = Object.entries(PAGES).map(
    ([path, name]): LocalRoute => ({ path, limit: 'pages', respond: (request) => show(name, request) }),
  )
  const assets = [...files.values()]
    .filter(({ entry }) => entry.path.startsWith('/assets/'))
    .map(({ entry, bytes }): LocalRoute => {
      const asset = new Asset(bytes, {
        'content-type': entry.type,
        'cache-control': ASSET_CACHE,
        'content-security-policy': POLICY,
      })
      return { path: entry.path, limit: 'pages', respond: (request) => asset.respond(request.headers) }
    })
  return {
    routes: [...pages, ...assets],
    notFound: (request) => {
      const { pathname } = new URL(request.url)
      const wantsPage =
        request.method === 'GET' && (request.headers.get('accept') ?? '').includes('text/html')
      if (!wantsPage || pathname === '/api' || pathname.startsWith('/api/')) return null
      return show(NOT_FOUND, request).then((answer) => ({
        ...answer,
        status: answer.status === 304 ? 304 : 404,
      }))
    },
  }
}

type File = { entry: Entry; bytes: Uint8Array<ArrayBuffer> }

function readBuild(dist: string): Map<string, File> {
  const path = join(dist, 'manifest.json')
  if (!existsSync(path))
    throw new ConfigurationError(['the pages are not built: run `bun run build` in apps/web, or set WEB=off'])
  const entries: unknown = JSON.parse(readFileSync(path, 'utf8'))
  if (!manifest.Check(entries))
    throw new ConfigurationError(['the manifest of the pages cannot be read: build apps/web again'])
  const files = new Map<string, File>()
  for (const entry of entries) {
    const target = join(dist, entry.file)
    const bytes = existsSync(target) ? new Uint8Array(readFileSync(target)) : null
    if (bytes?.byteLength !== entry.bytes)
      throw new ConfigurationError([
        `${entry.file} of the pages is missing or not whole: build apps/web again`,
      ])
    files.set(entry.file, { entry, bytes })
  }
  return files
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

const withFacts = (html: string, { eventName, baseUrl, apiBase }: Record<keyof PageFacts, string>): string =>
  html
    .replaceAll('%EVENT_NAME%', escaped(eventName))
    .replaceAll('%BASE_URL%', escaped(baseUrl))
    .replaceAll('%API_BASE%', escaped(apiBase))
