import type { BrowserContext, Page, Request } from 'playwright-core'
import { evaluate } from './browser.ts'

/** What a browser has observed of a person outside of bodies, for a plain search. */
export type Observed = {
  /** Addresses that were requested, navigated to or answered with, `Referer`, titles. */
  lines: () => Promise<string[]>
  /** JSON answers that a cache may keep. */
  cacheable: () => Promise<{ url: string; text: string }[]>
}

const REPORT_TITLES = `new MutationObserver(() => reportTitle(document.title))
  .observe(document, { subtree: true, childList: true, characterData: true })`

/** Collects from now on, in every page of a context. */
export async function listen(context: BrowserContext): Promise<Observed> {
  const lines: string[] = []
  const cacheable: { url: string; text: string }[] = []
  const reading: Promise<unknown>[] = []
  const follow = (page: Page) =>
    page.on('framenavigated', (frame) => void lines.push(`navigated ${frame.url()}`))
  await context.exposeBinding('reportTitle', (_, title: string) => void lines.push(`title ${title}`))
  await context.addInitScript(REPORT_TITLES)
  context.pages().forEach(follow)
  context.on('page', follow)
  const read = async (request: Request) => {
    // A page that is left meanwhile has only the headers that it gave.
    const headers = await request.allHeaders().catch(() => request.headers())
    lines.push(`referer ${headers.referer ?? ''}`)
  }
  context.on('request', (request) => {
    lines.push(`requested ${request.url()}`)
    reading.push(read(request))
  })
  context.on('response', (response) => {
    const { location = '', 'cache-control': caching = '', 'content-type': type = '' } = response.headers()
    lines.push(`location ${location}`)
    if (!type.startsWith('application/json') || /no-store/.test(caching)) return
    const keep = (text: string) => void cacheable.push({ url: response.url(), text })
    // A body is gone with the page that has asked for it, which then has not shown it.
    reading.push(response.text().then(keep, () => {}))
  })
  const settled = async <T>(collected: T): Promise<T> => {
    await Promise.all(reading)
    return collected
  }
  return { lines: () => settled(lines), cacheable: () => settled(cacheable) }
}

/** The lines that hold one of the texts, as they are or encoded. */
export const withAny = (lines: readonly string[], texts: readonly string[]): string[] =>
  lines.filter((line) =>
    texts.some(
      (text) =>
        line.includes(text) ||
        line.includes(encodeURIComponent(text)) ||
        line.includes(btoa(encodeURI(text))),
    ),
  )

/** Everything in the caches that a script can read: addresses, headers and bodies. */
export const cachesOf = (page: Page): Promise<string[]> =>
  evaluate(
    page,
    `(async () => {
      const kept = []
      for (const name of await caches.keys()) {
        const cache = await caches.open(name)
        for (const request of await cache.keys()) {
          const answer = await cache.match(request)
          kept.push([name, request.url, JSON.stringify([...answer.headers]), await answer.text()].join(' '))
        }
      }
      return kept
    })()`,
  )

/** Everything in IndexedDB, localStorage, sessionStorage and readable cookies. */
export const storageOf = (page: Page): Promise<string[]> =>
  evaluate(
    page,
    `(async () => {
      const kept = [document.cookie, JSON.stringify(localStorage), JSON.stringify(sessionStorage)]
      for (const { name } of await indexedDB.databases()) {
        const db = await new Promise((resolve, reject) => {
          const opening = indexedDB.open(name)
          opening.onsuccess = () => resolve(opening.result)
          opening.onerror = () => reject(opening.error)
        })
        for (const store of db.objectStoreNames) {
          const all = (of) => new Promise((resolve, reject) => {
            of.onsuccess = () => resolve(of.result)
            of.onerror = () => reject(of.error)
          })
          const objects = db.transaction(store).objectStore(store)
          kept.push(store + ' ' + JSON.stringify([await all(objects.getAllKeys()), await all(objects.getAll())]))
        }
        db.close()
      }
      return kept
    })()`,
  )
