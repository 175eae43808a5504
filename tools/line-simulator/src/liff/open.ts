import { fileURLToPath } from 'node:url'
import type { Platform } from '../platform.ts'

/** Another than the pages of the app, as at LINE. */
export const LIFF_SDK_PATH = '/liff-sdk.js'

/** The stand-in for LINE's script. */
export const liffSdk = (): Response =>
  new Response(Bun.file(fileURLToPath(new URL('sdk.js', import.meta.url))), {
    headers: { 'content-type': 'text/javascript; charset=utf-8', 'cache-control': 'no-store' },
  })

/** `/liff/<id>` and what stands behind it; any id is that of the one app. */
const APP = /^\/liff\/[\w-]+(?<rest>\/.*)?$/
export const isLiff = (path: string): boolean => APP.test(path)

/** `GET /liff/<id>[/path]`, as https://liff.line.me. */
export function openLiff(request: Request, platform: Platform, endpoint: string | undefined): Response {
  const url = new URL(request.url)
  if (endpoint === undefined) return new Response('the pages are not there yet', { status: 503 })
  const person = platform.people.find(url.searchParams.get('as') ?? '')
  if (!person) return chooser(url, platform)
  url.searchParams.delete('as')
  const target = new URL('/', endpoint)
  const state = (APP.exec(url.pathname)?.groups?.rest ?? '') + url.search
  if (state !== '') target.searchParams.set('liff.state', state)
  target.searchParams.set('liff.referrer', 'https://line.me/')
  const { userId, displayName } = person
  target.hash = new URLSearchParams({
    id_token: platform.idTokens.issue({ userId, name: displayName }),
  }).toString()
  return new Response(null, { status: 302, headers: { location: target.href } })
}

function chooser(url: URL, platform: Platform): Response {
  const rows = platform.people.all().map(({ userId, displayName }) => {
    const link = new URL(url)
    link.searchParams.set('as', userId)
    return `<li><a href="${Bun.escapeHTML(link.pathname + link.search)}">${Bun.escapeHTML(displayName)}</a></li>`
  })
  return new Response(
    `<!doctype html><meta charset="utf-8"><title>LIFF (stub)</title><h1>Whose LINE?</h1><ul>${rows.join('')}</ul>`,
    { headers: { 'content-type': 'text/html; charset=utf-8' } },
  )
}
