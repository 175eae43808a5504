import { LANGUAGES } from '@palanquin/domain/language'
import { ConfigurationError } from '@palanquin/service/config'
import type { CredentialTags } from '@palanquin/service/credential-tags'
import type { ServiceClient } from '@palanquin/service/service-client'
import type { LocalRoute } from '../local-route.ts'
import { Asset } from '../prebuilt/asset.ts'
import type { PlainResponse } from '../response.ts'
import { appRoutes } from './app-files.ts'
import { assetRoute } from './asset-route.ts'
import { readBuild } from './build-files.ts'
import { cardPage } from './card-page.ts'
import { documentsWith, fileOf, type PageFacts, SECRET_PAGES } from './documents.ts'
import { filledPage } from './filled-page.ts'
import { languageOf } from './language.ts'
import { liffPolicy, mayLoadLiff, POLICY } from './policy.ts'
import { setupPages } from './setup-page.ts'
import { sharePage } from './share-page.ts'

/** Pages by the path at which each is served; `apps/web` builds a file of that name in each language. */
const PAGES: Readonly<Record<string, string>> = {
  '/': 'home',
  '/map': 'map',
  '/me': 'me',
  '/survey': 'survey',
  '/feedback': 'feedback',
  '/privacy': 'privacy',
  '/lost': 'lost',
  '/found': 'found',
}
const NOT_FOUND = 'not-found'

/** A worker has a policy of its own; what a page loads otherwise goes by the page's. */
const WORKER = /\.mjs$/
const ASSET_CACHE = 'public, max-age=31536000, immutable'

type PageOptions = {
  media: Pick<ServiceClient, 'call'>
  engagement: Pick<ServiceClient, 'call'>
  tags: CredentialTags
  /** The script of LINE that pages opened inside LINE may load if `LIFF_URL` is set. */
  liffSdk: string
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
export function webPages(
  dist: string,
  facts: () => PageFacts,
  { liffSdk, media, engagement, tags }: PageOptions,
): WebPages {
  const files = readBuild(dist)
  const documents = documentsOf(files, facts, POLICY)
  const liffDocuments = documentsOf(files, facts, liffPolicy(liffSdk))
  const documentOf = (name: string, request: Request): Asset => {
    const isLiff = facts().liffId !== '' && mayLoadLiff(request)
    return ofLanguage((isLiff ? liffDocuments : documents)(), name, request)
  }
  for (const name of [...Object.values(PAGES), ...SECRET_PAGES, NOT_FOUND])
    for (const language of LANGUAGES)
      if (!documents().has(fileOf(name, language)))
        throw new ConfigurationError([`the build of the pages has no ${name} in ${language}`])

  const pages = Object.entries(PAGES).map(([path, name]) =>
    assetRoute(path, (request) => documentOf(name, request)),
  )
  const assets = [...files.values()]
    .filter(({ entry }) => entry.path.startsWith('/assets/'))
    .map(({ entry, bytes, readyMade }) => {
      const headers = {
        'content-type': entry.type,
        'cache-control': ASSET_CACHE,
        ...(WORKER.test(entry.path) ? { 'content-security-policy': POLICY } : {}),
      }
      const asset = new Asset(bytes, headers, readyMade)
      return assetRoute(entry.path, () => asset)
    })
  const notFound = async (request: Request): Promise<PlainResponse> => {
    const { status, headers, body } = await documentOf(NOT_FOUND, request).respond(request.headers)
    return { status: status === 304 ? 304 : 404, headers, body }
  }
  const secretPage = (name: string) => (request: Request) => ofLanguage(documents(), name, request)
  const share = sharePage({
    engagement,
    tags,
    notFound,
    page: secretPage('share'),
    endedPage: secretPage('share-ended'),
  })
  const card = cardPage({
    media,
    page: filledPage('card', files, facts),
    notFound,
    baseUrl: () => facts().baseUrl,
  })
  const setup = setupPages(secretPage('setup'))
  return {
    routes: [...pages, card, share, ...setup, ...assets, ...appRoutes(files, () => facts().eventName)],
    notFound: (request) => {
      const { pathname } = new URL(request.url)
      const wantsPage =
        ['GET', 'HEAD'].includes(request.method) &&
        (request.headers.get('accept') ?? '').includes('text/html')
      if (!wantsPage || pathname === '/api' || pathname.startsWith('/api/')) return null
      return notFound(request)
    },
  }
}

/** A document in the reader's language. */
function ofLanguage(documents: ReadonlyMap<string, Asset>, name: string, request: Request): Asset {
  const asset = documents.get(fileOf(name, languageOf(request)))
  if (!asset) throw new Error(`the build of the pages has ${name} in every language`)
  return asset
}

/** The documents of a policy, made again when what the gateway writes into them has changed. */
function documentsOf(files: ReturnType<typeof readBuild>, facts: () => PageFacts, policy: string) {
  let made: { of: string; documents: ReturnType<typeof documentsWith> } | undefined
  return () => {
    const present = facts()
    const of = JSON.stringify(present)
    if (made?.of !== of) made = { of, documents: documentsWith(files, { facts: present, policy }) }
    return made.documents
  }
}
