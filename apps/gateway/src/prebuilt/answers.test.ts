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
      limits: { ...noRateLimit, tryPage: async () => hasPlace },
      prebuiltRead: () => undefined,
    },
    responder,
    peerOf: () => '192.0.2.1',
  })
/** What the pipeline says. */
const PIPELINE = new Response('by the pipeline')
const pageOf = async (answers: ReturnType<typeof answersWith>, one: Request, of: Asset): Promise<Response> =>
  (await answers.page(one, routeOf(of), async () => PIPELINE)) ?? PIPELINE
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
      const atOnce = await pageOf(answersWith(), one, asset)
      const slowly = await pipeline.respond(one, '/lantern', async () => ({
        result: await asset.respond(one.headers),
      }))
      expect(atOnce.status).toBe(slowly.status)
      expect(Object.fromEntries(atOnce.headers)).toEqual(Object.fromEntries(slowly.headers))
      expect(await atOnce.text()).toBe(await slowly.text())
    }
    const responses = await Promise.all([1, 2].map(() => pageOf(answersWith(), request(), asset)))
    const ids = responses.map(({ headers }) => headers.get('x-request-id'))
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
    for (let i = 0; i < 3; i++) await pageOf(answersWith(), request(), asset)
    await pageOf(answersWith(), request({ 'if-none-match': asset.etag }), asset)
    expect([await countOf(200), await countOf(304)]).toEqual([(before[0] ?? 0) + 3, (before[1] ?? 0) + 1])
  })
})

group('the pipeline decides', () => {
  test('about other methods, and large bodies, which are watched', async () => {
    expect(await pageOf(answersWith(), request({}, 'HEAD'), asset)).toBe(PIPELINE)
    expect(await pageOf(answersWith(), request(), large)).toBe(PIPELINE)
  })

  test('about a variant that was not made yet', async () => {
    const unread = new Asset('x'.repeat(2_000), TYPE)
    expect(await pageOf(answersWith(), request({ 'accept-encoding': 'br' }), unread)).toBe(PIPELINE)
  })

  test('where the client came without HTTPS, or its address has no place', async () => {
    expect(await pageOf(answersWith({ isSecure: false }), request(), asset)).toBe(PIPELINE)
    expect(await pageOf(answersWith({ hasPlace: false }), request(), asset)).toBe(PIPELINE)
  })

  test('once connections are to be closed', async () => {
    const responder = responderOf()
    expect(await pageOf(answersWith({ responder }), request(), asset)).not.toBe(PIPELINE)
    responder.closeConnections()
    expect(await pageOf(answersWith({ responder }), request(), asset)).toBe(PIPELINE)
  })
})
