/** Keeps the pages readable without a network, and sends what waits. Its caches hold nothing personal. */
import { tellApiBase } from './api/base.ts'
import { STORED_AT } from './api/server-clock.ts'
import { baseOfTag } from './outbox/background-sync.ts'
import { sendOnce } from './outbox/send-once.ts'

declare const self: Scope
/** Put in by the build: the paths of its assets. */
declare const BUILD_ASSETS: readonly string[]

type Kind = 'pages' | 'assets' | 'state'
const PAGE = /^\/(?:map|me|survey|feedback|privacy|lost|found)?$/
const ASSET = /^\/assets\/[\w.-]+$/
/** Public answers; no other answer of the API is ever kept. */
const STATE = /^\/api\/[a-z0-9-]+\/(?:activity|beacons|places|density)$/
const READS_MAX = 100
const reads = new Set<string>()

// A new version waits until all pages of the old one are closed: there is no skipWaiting.
self.addEventListener('activate', (event) => event.waitUntil(begin()))
// The first page of a phone has loaded before there was a service worker: it says what it has.
self.addEventListener('message', (event) => event.waitUntil(keepAll(event.data)))
self.addEventListener('sync', (event) => event.waitUntil(sendWaiting(event.tag)))
self.addEventListener('fetch', (event) => {
  const { request, clientId } = event
  const url = new URL(request.url)
  if (request.method !== 'GET') return
  const kind = kindOf(url)
  if (kind === 'pages' && request.mode === 'navigate') event.respondWith(page(request, url))
  if (kind === 'assets') event.respondWith(asset(request, url))
  if (kind === 'state') event.respondWith(state(request, url, clientId))
})

function kindOf({ origin, pathname, search, searchParams }: URL): Kind | null {
  if (origin !== self.location.origin) return null
  // Pages inside LINE have another policy.
  if (PAGE.test(pathname)) return [...searchParams.keys()].some((name) => /^liff/.test(name)) ? null : 'pages'
  if (search !== '') return null
  return ASSET.test(pathname) ? 'assets' : STATE.test(pathname) ? 'state' : null
}

/** Nothing but the language of a page's query is kept. */
const keyOf = ({ pathname, searchParams }: URL, kind: Kind): string =>
  kind === 'pages' ? `${pathname}?lang=${searchParams.get('lang') ?? ''}` : pathname

async function keep(kind: Kind, url: URL, response: Response): Promise<void> {
  if (response.status !== 200 || response.redirected) return
  const headers = new Headers(response.headers)
  if (kind === 'state') headers.set(STORED_AT, String(Date.parse(headers.get('date') ?? '') || Date.now()))
  const cache = await caches.open(kind)
  await cache.put(keyOf(url, kind), new Response(await response.blob(), { headers }))
}

/** The network's, or without one what was kept, if need be in the other language. */
async function page(request: Request, url: URL): Promise<Response> {
  const cache = await caches.open('pages')
  try {
    const response = await fetch(request)
    await keep('pages', url, response.clone())
    return response
  } catch (error) {
    const kept =
      (await cache.match(keyOf(url, 'pages'))) ?? (await cache.match(url.pathname, { ignoreSearch: true }))
    if (kept === undefined) throw error
    return kept
  }
}

/** The name has the hash of the content: what is kept is right for ever. */
async function asset(request: Request, url: URL): Promise<Response> {
  const kept = await (await caches.open('assets')).match(url.pathname)
  if (kept !== undefined) return kept
  const response = await fetch(request)
  await keep('assets', url, response.clone())
  return response
}

/** What was kept for the first read of a page, which then reads again; the network's for all others. */
async function state(request: Request, url: URL, clientId: string): Promise<Response> {
  const read = `${clientId} ${url.pathname}`
  const kept = reads.has(read) ? undefined : await (await caches.open('state')).match(url.pathname)
  if (reads.size > READS_MAX) reads.clear()
  reads.add(read)
  if (kept !== undefined) return kept
  const response = await fetch(request)
  await keep('state', url, response.clone())
  return response
}

async function keepAll(paths: unknown): Promise<void> {
  for (const path of Array.isArray(paths) ? paths : []) {
    const url = new URL(String(path), self.location.origin)
    const kind = kindOf(url)
    if (kind === null || (await (await caches.open(kind)).match(keyOf(url, kind)))) continue
    await keep(kind, url, await fetch(url))
  }
}

/** No page of an older build is open now. */
async function begin(): Promise<void> {
  await self.clients.claim()
  const cache = await caches.open('assets')
  for (const { url } of await cache.keys())
    if (!BUILD_ASSETS.includes(new URL(url).pathname)) await cache.delete(url)
}

/** The browser asks again, later and later, while this rejects. */
async function sendWaiting(tag: string): Promise<void> {
  const base = baseOfTag(tag)
  if (base === undefined) return
  tellApiBase(base)
  if (await sendOnce()) throw new Error('something waits on')
}

type Extendable = Event & { waitUntil: (work: Promise<unknown>) => void }
type Fetched = Extendable & {
  request: Request
  clientId: string
  respondWith: (answer: Promise<Response>) => void
}
type SentMessage = Extendable & { data: unknown }
type SyncAsked = Extendable & { tag: string }
/** As much of a service worker's scope as is used; the library of the DOM does not have it. */
type Scope = {
  addEventListener: {
    (type: 'activate', listener: (event: Extendable) => void): void
    (type: 'fetch', listener: (event: Fetched) => void): void
    (type: 'message', listener: (event: SentMessage) => void): void
    (type: 'sync', listener: (event: SyncAsked) => void): void
  }
  clients: { claim: () => Promise<void> }
  location: Location
}
