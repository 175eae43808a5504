import { expect, describe as group, test } from 'bun:test'
import { ApiError } from '@palanquin/service/http/api-error'
import { createLog } from '@palanquin/service/log'
import { createMetrics } from '@palanquin/service/metrics'
import { RequestMetrics } from '@palanquin/service/request-metrics'
import type { LocalRoute } from '../local-route.ts'
import { cors } from '../middleware/cors.ts'
import { Responder } from '../middleware/respond.ts'
import { noRateLimit } from '../rate-limit/rate-limit.ts'
import { Readers } from '../readers/readers.ts'
import { prebuiltAnswers } from './answers.ts'
import { Asset } from './asset.ts'

const TYPE = { 'content-type': 'text/plain; charset=utf-8' }
const asset = new Asset('a lantern on the road', TYPE)
await asset.respond(new Headers())
const large = new Asset(new Uint8Array(70_000), { 'content-type': 'image/png' })
await large.respond(new Headers())

const routeOf = (of: Asset): LocalRoute => ({
  path: '/lantern',
  limit: 'pages',
  respond: (request) => of.respond(request.headers),
  prebuilt: (request) => of.prebuilt(request.headers),
})
const metrics = new RequestMetrics(createMetrics('test'))
const responderOf = () =>
  new Responder({
    cors: cors(['https://map.example']),
    metrics,
    readers: new Readers(),
    log: createLog({ service: 'test', level: 'silent' }),
    administrative: new Set(),
  })
const answersWith = ({
  responder = responderOf(),
  hasPlace = true,
  isSecure = true,
}: {
  responder?: Responder
  hasPlace?: boolean
  isSecure?: boolean
} = {}) =>
  prebuiltAnswers({
    checks: {
      checkHttps: () =>
        isSecure ? { client: () => '192.0.2.1' } : new ApiError('forbidden', 'Please use HTTPS.'),
      limits: { ...noRateLimit, pageNow: () => hasPlace },
      prebuiltRead: () => undefined,
    },
    responder,
    peerOf: () => '192.0.2.1',
  })
const request = (headers: Record<string, string> = {}, method = 'GET') =>
  new Request('https://walk.example/lantern', { method, headers })

group('what is in memory', () => {
  test('is answered at once as the whole pipeline would, with the id of its request', async () => {
    const pipeline = responderOf()
    const given: Record<string, string>[] = [
      {},
      { origin: 'https://map.example' },
      { origin: 'https://other.example' },
      { 'if-none-match': asset.etag },
      { 'if-none-match': '"other"' },
    ]
    for (const headers of [...given, ...given]) {
      const one = request({ ...headers, 'x-request-id': 'mine' })
      const atOnce = answersWith().page(one, routeOf(asset))
      const slowly = await pipeline.respond(one, '/lantern', async () => ({
        result: await asset.respond(one.headers),
      }))
      expect(atOnce?.status).toBe(slowly.status)
      expect(Object.fromEntries(atOnce?.headers ?? [])).toEqual(Object.fromEntries(slowly.headers))
      expect(await atOnce?.text()).toBe(await slowly.text())
    }
    const ids = [1, 2].map(() => answersWith().page(request(), routeOf(asset))?.headers.get('x-request-id'))
    expect(new Set(ids).size).toBe(2)
    expect(ids[0]).toMatch(/^[\w-]{1,64}$/)
  })

  test('is counted under its route and status', async () => {
    const countOf = async (status: number) =>
      Number(
        new RegExp(`requests_total{[^}]*route="/lantern",status="${status}"[^}]*} (\\d+)`).exec(
          (await metrics.text()).body,
        )?.[1] ?? 0,
      )
    const before = [await countOf(200), await countOf(304)]
    for (let i = 0; i < 3; i++) answersWith().page(request(), routeOf(asset))
    answersWith().page(request({ 'if-none-match': asset.etag }), routeOf(asset))
    expect([await countOf(200), await countOf(304)]).toEqual([(before[0] ?? 0) + 3, (before[1] ?? 0) + 1])
  })
})

group('the pipeline decides', () => {
  test('about other methods, and large bodies, which are watched', () => {
    expect(answersWith().page(request({}, 'HEAD'), routeOf(asset))).toBeUndefined()
    expect(answersWith().page(request(), routeOf(large))).toBeUndefined()
  })

  test('about a variant that was not made yet', () => {
    const unread = new Asset('x'.repeat(2_000), TYPE)
    expect(answersWith().page(request({ 'accept-encoding': 'br' }), routeOf(unread))).toBeUndefined()
  })

  test('where the client came without HTTPS, or its address has no place at hand', () => {
    expect(answersWith({ isSecure: false }).page(request(), routeOf(asset))).toBeUndefined()
    expect(answersWith({ hasPlace: false }).page(request(), routeOf(asset))).toBeUndefined()
  })

  test('once connections are to be closed', () => {
    const responder = responderOf()
    expect(answersWith({ responder }).page(request(), routeOf(asset))).toBeDefined()
    responder.closeConnections()
    expect(answersWith({ responder }).page(request(), routeOf(asset))).toBeUndefined()
  })
})
