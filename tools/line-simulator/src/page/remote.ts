import type { WebhookEvent } from '../events.ts'
import { FAULT_KINDS, type FaultOrder } from '../faults.ts'
import { TOKEN_KINDS } from '../id-tokens.ts'
import { isRecord } from '../is-record.ts'
import type { Stage } from './stage.ts'

export type RemoteCall = { stage: Stage; body: Record<string, unknown>; query: URLSearchParams }

const DONE = { ok: true }

/** What a test does to a stub in another process, as JSON over HTTP. */
export const REMOTE: Record<string, (call: RemoteCall) => object | Promise<object>> = {
  /** `{count, language?, relation?}` → `{userIds}` */
  'POST /_stub/people': ({ stage, body }) => {
    const relation = body.relation === 'none' || body.relation === 'blocked' ? body.relation : 'friend'
    const language = typeof body.language === 'string' ? { language: body.language } : {}
    return { userIds: stage.platform.people.addMany(number(body, 'count'), { relation, ...language }) }
  },
  /** `{events}`: sends them as they are; without them the verify request. */
  'POST /_stub/events': ({ stage, body }) =>
    stage.sender.send(Array.isArray(body.events) ? body.events.filter(isEvent) : []),
  /** `{kind, at?, times?, after?, chance?, delayMs?}` */
  'POST /_stub/faults': ({ stage, body }) => {
    stage.platform.faults.order(faultOf(body))
    return DONE
  },
  'POST /_stub/faults/clear': ({ stage }) => {
    stage.platform.faults.clear()
    return DONE
  },
  'GET /_stub/faults': ({ stage }) => stage.platform.faults.happened(),
  /** `{advanceMs}` */
  'POST /_stub/clock': ({ stage, body }) => {
    stage.platform.clock.advance(number(body, 'advanceMs'))
    return { nowMs: stage.platform.clock.now() }
  },
  /** `{limit}`: a number a month, or null for none. */
  'POST /_stub/quota': ({ stage, body }) => {
    stage.platform.quota.limit = body.limit === null ? null : number(body, 'limit')
    stage.platform.changed()
    return DONE
  },
  /** `{userId, …}` → `{idToken}`: a LIFF ID token, or a bad one (see `TokenOrder`). */
  'POST /_stub/id-token': ({ stage, body }) => {
    if (typeof body.userId !== 'string') throw new Error('userId: expected text')
    const { userId } = body
    const lifetimeS = typeof body.lifetimeS === 'number' ? { lifetimeS: body.lifetimeS } : {}
    const audience = typeof body.audience === 'string' ? { audience: body.audience } : {}
    const as = TOKEN_KINDS.find((kind) => kind === body.as)
    if (body.as !== undefined && !as) throw new Error(`as: expected one of ${TOKEN_KINDS.join(', ')}`)
    const order = { userId, ...lifetimeS, ...audience, ...(as ? { as } : {}) }
    return { idToken: stage.platform.idTokens.issue(order) }
  },
  /** LIFF's tokens are of another key from now on. */
  'POST /_stub/rotate': ({ stage }) => {
    stage.platform.idTokens.rotate()
    return DONE
  },
  /** `{userId, redirectUri, codeChallenge}` → `{code}`: what LINE Login sends a browser back with. */
  'POST /_stub/login-code': ({ stage, body }) => {
    const { userId, redirectUri, codeChallenge } = body
    if (typeof userId !== 'string' || typeof redirectUri !== 'string' || typeof codeChallenge !== 'string')
      throw new Error('expected userId, redirectUri and codeChallenge')
    return { code: stage.platform.loginCodes.issue({ userId, redirectUri, codeChallenge }) }
  },
  /** `?userId=` → what that chat received, in order; without it, everything. */
  'GET /_stub/received': ({ stage, query }) => {
    const userId = query.get('userId')
    const { deliveries } = stage.platform
    return userId === null ? deliveries.all() : deliveries.received(userId)
  },
  /** Who received the very same message more than once. */
  'GET /_stub/repeated': ({ stage }) => stage.platform.deliveries.repeated(),
  'GET /_stub/calls': ({ stage }) => stage.platform.calls(),
}

function faultOf(body: Record<string, unknown>): FaultOrder {
  const kind = FAULT_KINDS.find((known) => known === body.kind)
  if (!kind) throw new Error(`kind: expected one of ${FAULT_KINDS.join(', ')}`)
  const optional = (name: string) => (body[name] === undefined ? undefined : number(body, name))
  return {
    kind,
    at: typeof body.at === 'string' ? body.at : undefined,
    times: optional('times'),
    after: optional('after'),
    chance: optional('chance'),
    delayMs: optional('delayMs'),
  }
}

function number(body: Record<string, unknown>, name: string): number {
  const value = body[name]
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new Error(`${name}: expected a number`)
  return value
}

const isEvent = (value: unknown): value is WebhookEvent => isRecord(value) && typeof value.type === 'string'
