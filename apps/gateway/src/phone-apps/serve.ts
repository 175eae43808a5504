import { type PhoneApp, phoneApp, type ReplyFacts, replyOf } from '@palanquin/domain/phone-apps'
import type { AppReply, ReplyCase } from '@palanquin/domain/phone-apps/replies'
import type { AppRequest } from '@palanquin/domain/phone-apps/request'
import { actionOf } from '@palanquin/domain/phone-apps/ulogger'
import type { CredentialTags } from '@palanquin/service/credential-tags'
import { ApiError } from '@palanquin/service/http/api-error'
import { pause } from '@palanquin/service/pause'
import { BODY_BYTES_MAX, readBody } from '../middleware/body-limit.ts'
import { drainingBody } from '../middleware/drain.ts'
import type { HttpsCheck } from '../middleware/https.ts'
import { bytesOf, type LargeBodies } from '../middleware/large-bodies.ts'
import type { Admission } from '../overload/admission.ts'
import type { RateLimit } from '../rate-limit/rate-limit.ts'
import { JSON_TYPE, type PlainResponse, plainError } from '../response.ts'
import { queryFields, readAppRequest } from './app-request.ts'
import type { deliveryJudge, Judged } from './judge.ts'
import type { PhoneAppMetrics } from './metrics.ts'
import type { Target } from './paths.ts'
import { loginCookie, namesToken, tokenOf } from './token.ts'
import { visitOf } from './visit.ts'

/** Overland's largest batch is 600 kB. */
const APP_BODY_BYTES_MAX = 1_048_576
const VERSION_CHARACTERS_MAX = 80
/** Replies being held at a time; more go out at once. */
const HELD_MAX = 2_000
/** For a reply before anything was read. */
const UNREAD: AppRequest = { fields: new Map(), json: undefined }

export type PhoneAppParts = {
  checkHttps: HttpsCheck
  admission: Pick<Admission, 'apiError' | 'admit'>
  judge: ReturnType<typeof deliveryJudge>
  tags: CredentialTags
  limits: Pick<RateLimit, 'isSpent'>
  metrics: PhoneAppMetrics
  largeBodies: LargeBodies
  /** Waits before a reply that is held back. */
  hold?: typeof pause | undefined
}
type Arrived = { request: Request; target: Target; requestId: string; peer: () => string }
type Result = PlainResponse | ApiError

/** What the apps on people's phones send to `/in/{app}`: read, judged, and answered as each app needs it. */
export function phoneAppService({
  checkHttps,
  admission,
  judge,
  tags,
  limits,
  metrics,
  largeBodies,
  hold = pause,
}: PhoneAppParts) {
  const stopping = new AbortController()
  let held = 0

  /** A reply, held back for an app that would ask again at once. */
  const send = async (reply: AppReply, { request, requestId }: Arrived): Promise<PlainResponse> => {
    if (reply.holdMs !== undefined && held < HELD_MAX) {
      held++
      await hold(reply.holdMs, AbortSignal.any([stopping.signal, request.signal]))
      held--
    }
    if (reply.status === 200)
      return {
        status: 200,
        headers: reply.body === '' ? {} : { 'content-type': JSON_TYPE },
        body: reply.body,
      }
    const code = reply.status === 401 ? 'unauthorized' : 'unavailable'
    return plainError(new ApiError(code, reply.sentence), requestId)
  }
  const later = (arrived: Arrived) => send(replyOf(arrived.target.app, 'later', UNREAD), arrived)

  const judged = async (
    { request: { headers }, target: { app }, requestId }: Arrived,
    { sent, token, client }: { sent: AppRequest; token: string | undefined; client: () => string },
  ): Promise<Judged> => {
    const version = headers.get('user-agent')?.slice(0, VERSION_CHARACTERS_MAX)
    return judge({ app, token, read: () => phoneApp(app).read(sent), version, requestId, client })
  }

  /** The token may stand in the body: until that is read, the address alone is known. */
  const takePlace = (request: Request, address: string): (() => void) | ApiError => {
    const bytes = bytesOf(request, APP_BODY_BYTES_MAX)
    return bytes <= BODY_BYTES_MAX || request.method === 'GET'
      ? () => {}
      : largeBodies.take({ bytes, address })
  }

  const respond = async (arrived: Arrived): Promise<Result> => {
    const { request, target, requestId, peer } = arrived
    const secured = checkHttps(request.headers, peer)
    if (secured instanceof ApiError) return secured
    const address = secured.client() // looked up now: a closed connection has none
    if (request.method === 'GET') {
      const visit = visitOf(request.url, target.app)
      if (visit) return visit
    }
    if (admission.apiError('normal')) return later(arrived)
    if (await isGuesser(arrived, address)) {
      metrics.count(target.app, { unknown_token: 1 })
      return send(replyOf(target.app, 'unknown_token', UNREAD), arrived)
    }
    const place = takePlace(request, address)
    if (place instanceof ApiError) return later(arrived)
    const body =
      request.method === 'GET'
        ? { bytes: NO_BYTES }
        : await readBody(request, { bytesMax: APP_BODY_BYTES_MAX }).finally(place)
    if ('apiError' in body) {
      // One that was cut off, or is late: a client that still listens is to send it again.
      if (body.apiError.code !== 'tooLarge') {
        const response = await later(arrived)
        // What is left of the body costs as much to discard as to read: the connection ends.
        return { ...response, headers: { ...response.headers, ...body.apiError.headers } }
      }
      return body.rest ? draining(body.apiError, body.rest, requestId) : body.apiError
    }
    const sent = await readAppRequest(request, body.bytes)
    if (sent instanceof ApiError) return sent
    const from = { app: target.app, headers: request.headers, request: sent, fromPath: target.token }
    if (isEmpty(sent, request.method) && !namesToken(from)) return reply(arrived, sent, 'taken')
    const token = tokenOf(tags, from)
    const outcome = await admission.admit('normal', () =>
      judged(arrived, { sent, token, client: () => address }),
    )
    if (outcome instanceof ApiError) return later(arrived)
    metrics.count(target.app, outcome.counts)
    const response = await reply(arrived, sent, outcome.replyCase, outcome)
    const logsIn = token !== undefined && outcome.replyCase === 'taken' && isLogin(target.app, sent)
    return logsIn
      ? { ...response, headers: { ...response.headers, 'set-cookie': loginCookie(token) } }
      : response
  }
  /** Without a token outside of its body, from an address of many such: what it has in its body is not read. */
  const isGuesser = async ({ request, target }: Arrived, address: string): Promise<boolean> => {
    if (phoneApp(target.app).tokenFields.length > 0) return false
    const outside = { fields: new Map(queryFields(request.url)), json: undefined }
    const from = { app: target.app, headers: request.headers, request: outside, fromPath: target.token }
    return tokenOf(tags, from) === undefined && limits.isSpent('unknownTokens', address)
  }
  const reply = (arrived: Arrived, sent: AppRequest, replyCase: ReplyCase, facts: ReplyFacts = {}) =>
    send(replyOf(arrived.target.app, replyCase, sent, facts), arrived)

  return {
    respond,
    /** Sends what is held back, for the process to stop. */
    release: () => stopping.abort(),
  }
}

export type PhoneAppService = ReturnType<typeof phoneAppService>

const NO_BYTES = new ArrayBuffer(0)

/** A friend who is deleted in OwnTracks is a POST without anything. */
const isEmpty = ({ fields, json }: AppRequest, method: string): boolean =>
  method === 'POST' && fields.size === 0 && json === undefined

const isLogin = (app: PhoneApp, sent: AppRequest): boolean => app === 'ulogger' && actionOf(sent) === 'auth'

function draining(
  apiError: ApiError,
  rest: Parameters<typeof drainingBody>[1],
  requestId: string,
): PlainResponse {
  const response = plainError(apiError, requestId)
  return { ...response, body: drainingBody(String(response.body), rest) }
}
