import { afterAll, expect, describe as group, test } from 'bun:test'
import { readFileSync, truncateSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { serviceClient } from '@palanquin/service/service-client'
import { TAGS } from '../../test/gateway.ts'
import { useGateway } from '../../test/use-gateway.ts'
import { makeWebBuild, SCRIPT, SCRIPT_PATH, WORKER_PATH } from '../../test/web-build.ts'
import { DEFAULT_LIMITS } from '../rate-limit/rules.ts'
import { webPages } from './web.ts'

const build = makeWebBuild()
afterAll(() => build.remove())
const env = {
  WEB: 'on',
  WEB_DIR: build.folder,
  EVENT_NAME_ZH: '進香 <b>&"\'',
  EVENT_NAME_EN: 'Walk <script>alert(1)</script>',
  PUBLIC_BASE_URL: 'https://walk.example',
}
const deployment = useGateway({ env })
const get = async (path: string, headers: Record<string, string> = {}, method = 'GET') => {
  const response = await deployment.gateway.call(path, {
    method,
    headers: { 'accept-encoding': 'identity', ...headers },
    decompress: false,
  })
  return {
    status: response.status,
    headers: response.headers,
    body: Buffer.from(await response.arrayBuffer()),
  }
}
const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const POLICY =
  "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; img-src 'self' data: blob:; " +
  "connect-src 'self'; manifest-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; " +
  "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types default"
const PAGES = ['/', '/map', '/survey', '/feedback', '/privacy']
const ENCODINGS = ['br', 'gzip', 'identity']

group('an asset', () => {
  test('is served for a year in the bytes that the build has made, with an ETag for each encoding', async () => {
    const file = join(build.folder, 'assets/map.0123abcdef.js')
    const made: Record<string, string> = { br: `${file}.br`, gzip: `${file}.gz`, identity: file }
    const tags = new Set<string | null>()
    for (const encoding of ENCODINGS) {
      const { status, headers, body } = await get(SCRIPT_PATH, { 'accept-encoding': encoding })
      expect(status).toBe(200)
      expect(body.equals(readFileSync(made[encoding] ?? ''))).toBe(true)
      expect(headers.get('content-encoding')).toBe(encoding === 'identity' ? null : encoding)
      expect(headers.get('content-type')).toBe('text/javascript; charset=utf-8')
      expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
      expect(headers.get('vary')).toContain('accept-encoding')
      // Half a kilobyte that no browser reads there.
      expect(headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'")
      expect(headers.get('ratelimit-limit')).toBeNull()
      const tag = headers.get('etag')
      expect(tag).toMatch(/^"[\w-]+"$/)
      tags.add(tag)
      const unchanged = await get(SCRIPT_PATH, { 'accept-encoding': encoding, 'if-none-match': tag ?? '' })
      expect([unchanged.status, unchanged.body.length, unchanged.headers.get('etag')]).toEqual([304, 0, tag])
    }
    expect(tags.size).toBe(3)
  })

  test('carries the policy of pages where it runs as a worker', async () => {
    expect((await get(WORKER_PATH)).headers.get('content-security-policy')).toBe(POLICY)
  })

  test('has its length on HEAD, and another hash is 404', async () => {
    const head = await get(SCRIPT_PATH, {}, 'HEAD')
    expect([head.status, head.body.length]).toEqual([200, 0])
    expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(SCRIPT)))
    expect((await get('/assets/map.ffffffffff.js')).status).toBe(404)
    expect((await get('/assets/../manifest.json')).status).toBe(404)
    expect((await get('/manifest.json')).status).toBe(404)
  })
})

group('a page', () => {
  test('with a code in its address is compressed once for all of them, whatever they are', async () => {
    const away = serviceClient({ name: 'away', to: 'http://127.0.0.1:1', internalToken: '' })
    const facts = {
      eventName: { 'zh-TW': '進香', en: 'Walk' },
      baseUrl: '',
      apiBase: '/api/event',
      baseMap: '',
      lineLogin: '',
      liffId: '',
      liffSdk: '',
    }
    const pages = webPages(build.folder, () => facts, {
      liffSdk: 'https://static.line-scdn.net/sdk.js',
      media: away,
      engagement: away,
      tags: TAGS,
    })
    for (const path of ['/setup/', '/s/']) {
      const route = pages.routes.find((one) => one.path.startsWith(`${path}:`))
      const bodyOf = async (code: string) => {
        const request = new Request(`https://x${path}${code}`, { headers: { 'accept-encoding': 'br' } })
        const response = await route?.respond(request)
        return response && 'body' in response ? response.body : undefined
      }
      const first = await bodyOf(TAGS.tagged('family link', 'one'))
      expect(first).toBeInstanceOf(Blob)
      expect(await bodyOf(TAGS.tagged('family link', 'another'))).toBe(first ?? null)
    }
  })

  test('is HTML that is asked for again each time, with the policies of the web face', async () => {
    for (const path of PAGES) {
      const { status, headers } = await get(path)
      expect([path, status]).toEqual([path, 200])
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(headers.get('cache-control')).toBe('no-cache')
      expect(headers.get('content-security-policy')).toBe(POLICY)
      expect(headers.get('permissions-policy')).toBe(
        'geolocation=(self), camera=(self), screen-wake-lock=(self), microphone=(), payment=()',
      )
      expect(headers.get('cross-origin-opener-policy')).toBe('same-origin-allow-popups')
      expect(headers.get('vary')).toContain('accept-encoding, accept-language')
      for (const name of ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'set-cookie'])
        expect([name, headers.get(name)]).toEqual([name, null])
    }
  })

  test('has an ETag for each encoding and language, and is 304 to who has it', async () => {
    const tags = new Set<string>()
    for (const language of ['zh-TW', 'en'])
      for (const encoding of ENCODINGS) {
        const asked = { 'accept-language': language, 'accept-encoding': encoding }
        const tag = (await get('/map', asked)).headers.get('etag') ?? ''
        tags.add(tag)
        const unchanged = await get('/map', { ...asked, 'if-none-match': tag })
        expect([unchanged.status, unchanged.body.length]).toEqual([304, 0])
      }
    expect(tags.size).toBe(6)
  })

  test('says the name in its title without becoming markup, and where the API is', async () => {
    const zh = (await get('/map')).body.toString()
    expect(zh).toContain('<title>map · 進香 &lt;b&gt;&amp;&quot;&#39;</title>')
    expect(zh).toContain('content="/api/event"')
    expect(zh).toContain('content="https://walk.example/assets/icon.svg"')
    expect((await get('/map?lang=en')).body.toString()).toContain(
      'Walk &lt;script&gt;alert(1)&lt;/script&gt;',
    )
  })

  test('speaks the language of ?lang, then of Accept-Language', async () => {
    const languageAt = async (path: string, accepted: string) =>
      /<html lang="([\w-]+)">/.exec((await get(path, { 'accept-language': accepted })).body.toString())?.[1]
    expect(await languageAt('/', 'en;q=0.8, zh-TW')).toBe('zh-TW')
    expect(await languageAt('/', 'zh;q=0.5, en-GB;q=0.9')).toBe('en')
    expect(await languageAt('/?lang=zh-TW', 'en')).toBe('zh-TW')
    expect(await languageAt('/?lang=en', 'zh-TW')).toBe('en')
  })
})

group('what makes an app of the pages', () => {
  test('the service worker is asked for again each time, in the bytes of the build, with the policy', async () => {
    for (const [encoding, ending] of [
      ['br', '.br'],
      ['gzip', '.gz'],
      ['identity', ''],
    ] as const) {
      const { status, headers, body } = await get('/sw.js', { 'accept-encoding': encoding })
      expect([status, headers.get('cache-control')]).toEqual([200, 'no-cache'])
      expect(body.equals(readFileSync(join(build.folder, `sw.js${ending}`)))).toBe(true)
      expect(headers.get('content-type')).toBe('text/javascript; charset=utf-8')
      expect(headers.get('content-security-policy')).toBe(POLICY)
      const tag = headers.get('etag') ?? ''
      const unchanged = await get('/sw.js', { 'accept-encoding': encoding, 'if-none-match': tag })
      expect([unchanged.status, unchanged.body.length]).toEqual([304, 0])
    }
  })

  test('the manifest has the event’s name in the reader’s language', async () => {
    const { status, headers, body } = await get('/manifest.webmanifest?lang=en')
    expect([status, headers.get('content-type')]).toEqual([200, 'application/manifest+json; charset=utf-8'])
    expect(JSON.parse(body.toString())).toEqual({ name: env.EVENT_NAME_EN, lang: 'en' })
    const zh = await get('/manifest.webmanifest')
    expect(JSON.parse(zh.body.toString())).toEqual({ name: env.EVENT_NAME_ZH, lang: 'zh-TW' })
  })
})

group('a path without content', () => {
  test('is a page in the reader’s language to a browser, and JSON to all others', async () => {
    const page = await get('/nowhere', { ...BROWSER, 'accept-language': 'en' })
    expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
    expect(page.body.toString()).toContain('not-found in en')
    expect(page.headers.get('content-security-policy')).toBe(POLICY)
    const head = await get('/nowhere', BROWSER, 'HEAD')
    expect([head.status, head.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
    const json = await get('/nowhere')
    expect([json.status, JSON.parse(json.body.toString())]).toMatchObject([
      404,
      { error: 'There is nothing at this path.' },
    ])
  })

  test('is always JSON below /api', async () => {
    for (const path of ['/api', '/api/', '/api/nowhere', '/api/event/nowhere', '/api/event/user/a%20b']) {
      const { status, headers } = await get(path, BROWSER)
      expect([path, status, headers.get('content-type')]).toEqual([
        path,
        404,
        'application/json; charset=utf-8',
      ])
    }
  })
})

group('inside LINE', () => {
  const LIFF_POLICY = POLICY.replace(
    "script-src 'self'",
    "script-src 'self' https://static.line-scdn.net",
  ).replace(
    "connect-src 'self'",
    "connect-src 'self' https://api.line.me https://access.line.me https://liffsdk.line-scdn.net https://*.line-apps.com",
  )
  const QUERIES = ['liff.state=%2Fmap', 'liff.referrer=https%3A%2F%2Fline.me', 'liff=1']

  test('pages may load the script of LINE, where LIFF_URL is set', async () => {
    const liff = await deployment.addGateway({ env: { ...env, LIFF_URL: 'https://liff.line.me/1-a' } })
    const policyOf = async (path: string) => (await liff.call(path)).headers.get('content-security-policy')
    for (const query of QUERIES)
      for (const path of PAGES) expect(await policyOf(`${path}?${query}`)).toBe(LIFF_POLICY)
    for (const path of ['/', '/map?lang=en', '/map?liff=0', '/map?liff', `${WORKER_PATH}?liff=1`])
      expect(await policyOf(path)).toBe(POLICY)
    const tag = (await liff.call('/map?liff=1')).headers.get('etag') ?? ''
    const unchanged = await liff.call('/map?liff=1', { headers: { 'if-none-match': tag } })
    expect([unchanged.status, unchanged.headers.get('content-security-policy')]).toEqual([304, LIFF_POLICY])
  })

  test('nothing changes where it is not', async () => {
    for (const query of QUERIES)
      expect((await get(`/?${query}`)).headers.get('content-security-policy')).toBe(POLICY)
  })
})

group('a build that is not whole', () => {
  const script = 'assets/map.0123abcdef.js'
  const startWith = async (damage: (file: (name: string) => string) => void) => {
    const broken = makeWebBuild()
    try {
      damage((name) => join(broken.folder, name))
      await deployment.addGateway({ env: { ...env, WEB_DIR: broken.folder } })
    } finally {
      broken.remove()
    }
  }

  test.each([script, `${script}.br`, `${script}.gz`, 'pages/map.en.html', 'sw.js'])(
    'with %s missing or cut short, the gateway does not start, and says so',
    async (name) => {
      const sentence = `${name} of the pages is missing or not whole`
      await expect(startWith((file) => unlinkSync(file(name)))).rejects.toThrow(sentence)
      await expect(startWith((file) => truncateSync(file(name), 30))).rejects.toThrow(sentence)
    },
  )

  test('without a manifest, or with another thing in its place, neither', async () => {
    await expect(startWith((file) => unlinkSync(file('manifest.json')))).rejects.toThrow('are not built')
    for (const text of ['', '[{"file":"a"}]', '{}'])
      await expect(startWith((file) => writeFileSync(file('manifest.json'), text))).rejects.toThrow(
        'cannot be read',
      )
  })

  test('without a page, neither', async () => {
    await expect(
      startWith((file) => {
        const entries: { file: string }[] = JSON.parse(readFileSync(file('manifest.json'), 'utf8'))
        const rest = entries.filter((entry) => entry.file !== 'pages/not-found.en.html')
        writeFileSync(file('manifest.json'), JSON.stringify(rest))
      }),
    ).rejects.toThrow('has no not-found in en')
  })
})

test('with WEB=off there are no pages, and the 404 is JSON to browsers too', async () => {
  const off = await deployment.addGateway({ env: { WEB: 'off' } })
  for (const path of [...PAGES, SCRIPT_PATH]) {
    const response = await off.call(path, { headers: BROWSER })
    expect([path, response.status]).toEqual([path, 404])
    expect(await response.json()).toMatchObject({ error: 'There is nothing at this path.' })
  }
})

test('an address may read 60,000 pages and assets a minute, and no more', async () => {
  expect(DEFAULT_LIMITS.pages).toBe(60_000)
  const limited = await deployment.addGateway({ env: { ...env, PAGE_READ_LIMIT: '3' } })
  let last: Response | undefined
  for (const path of Array.from({ length: 20 }, () => ['/', SCRIPT_PATH, '/map']).flat())
    if (last?.status !== 429) last = await limited.call(path)
  expect(last?.status).toBe(429)
  expect(Number(last?.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(last?.headers.get('ratelimit-limit')).toBeNull()
})
