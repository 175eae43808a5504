import { afterAll, beforeEach, expect, test } from 'bun:test'
import { until } from '@palanquin/testing/until'
import { useGateway } from '../../test/use-gateway.ts'
import { makeWebBuild } from '../../test/web-build.ts'

const build = makeWebBuild()
afterAll(() => build.remove())
const deployment = useGateway({
  env: { WEB: 'on', WEB_DIR: build.folder, PUBLIC_BASE_URL: 'https://walk.example' },
})
const SHARED = 'Zk3v0uQhJ5xW8yTtR2aNfg'
const CARD = { name: '<阿明> %CARD_URL%', km: 20.5, checkins: 7, level: 2 }
let status = 200

beforeEach(() => {
  status = 200
  deployment.services.media.replyWith((request) => {
    const { pathname } = new URL(request.url)
    if (status !== 200) return Response.json({ error: 'away' }, { status })
    if (pathname === `/internal/card-shares/${SHARED}`) return Response.json({ ok: true, data: CARD })
    if (pathname === `/c/${SHARED}.png`)
      return new Response('PNG', {
        headers: { 'content-type': 'image/png', etag: '"card"', 'cache-control': 'public, max-age=300' },
      })
    return Response.json({ error: 'There is no card at this address.' }, { status: 404 })
  })
})
const get = async (path: string, headers: Record<string, string> = {}) => {
  const response = await deployment.gateway.call(path, { headers: { accept: 'text/html', ...headers } })
  return { status: response.status, headers: response.headers, body: await response.text() }
}

/** The page with its figures, which are left out where the service is late. */
const figuresOf = (query: string) =>
  until(
    async () => {
      const page = await get(`/c/${SHARED}${query}`)
      return page.body.includes('&lt;阿明&gt;') && page
    },
    { what: 'the page with the figures' },
  )

test('a shared card is a page in the reader’s language whose tags preview it, with its name as text alone', async () => {
  const zh = await figuresOf('')
  expect(zh.status).toBe(200)
  expect(zh.headers.get('cache-control')).toBe('no-cache')
  expect(zh.headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(zh.headers.get('ratelimit-limit')).toBeNull()
  expect(zh.body).toContain('og:title &lt;阿明&gt; %CARD_URL%的進香卡')
  expect(zh.body).toContain(`og:image https://walk.example/c/${SHARED}.png`)
  expect(zh.body).toContain('🧱 築基香客。走了 20.5 公里，打卡 7 次')
  const en = await figuresOf('?lang=en')
  expect(en.body).toContain('🧱 Foundation Pilgrim. 20.5 km, check-ins: 7')
  const tag = en.headers.get('etag') ?? ''
  const again = () => get(`/c/${SHARED}?lang=en`, { 'if-none-match': tag })
  await until(async () => (await again()).status === 304, { what: 'the same page' })
})

test('its picture is at the same address with .png, and caches may keep it as the service says', async () => {
  const { status, headers, body } = await get(`/c/${SHARED}.png`)
  expect([status, body]).toEqual([200, 'PNG'])
  expect(headers.get('content-type')).toBe('image/png')
  expect(headers.get('cache-control')).toBe('public, max-age=300')
})

test('an unknown address is the 404 page, and nothing that is no id reaches the service', async () => {
  const unknown = await get('/c/unknown?lang=en')
  expect([unknown.status, unknown.body]).toEqual([404, expect.stringContaining('not-found in en')])
  const before = deployment.services.media.calls.length
  for (const path of [`/c/${'a'.repeat(65)}`, '/c/a%2fb', '/c/a.b'])
    expect([path, (await get(path)).status]).toEqual([path, 404])
  expect(deployment.services.media.calls.length).toBe(before)
})

test('while the figures cannot be read, the page is shown without them', async () => {
  status = 503
  const { status: shown, body } = await get(`/c/${SHARED}`)
  expect(shown).toBe(200)
  expect(body).toContain('og:title 進香卡')
})
