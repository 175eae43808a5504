import type { CredentialTags } from '@palanquin/service/credential-tags'
import { ApiError } from '@palanquin/service/http/api-error'
import { foreignOrigin } from '../auth/admin-session.ts'
import type { Checked } from '../proxy/headers.ts'
import { type PlainResponse, plainJson } from '../response.ts'
import { cookieOf, hasSessionCookie, REMOVED_COOKIE, sessionTokenOf } from './cookie.ts'
import { readCredentials } from './credentials.ts'
import type { LinkDevice } from './link-device.ts'
import { joinDevice } from './link-handler.ts'
import type { IsOwnOrigin } from './own-origin.ts'
import { ownSessions } from './own-sessions.ts'
import type { PresentSession } from './present-session.ts'
import { hashOf, newRecoveryCode, requiredHash } from './secrets.ts'
import type { Session } from './session.ts'
import type { SessionService } from './session-service.ts'
import type { Sessions } from './sessions.ts'
import type { SignIn } from './sign-in.ts'

/** Answers the routes of sessions once they have passed all checks. */
export type SessionHandler = (request: Request, checked: Checked) => Promise<PlainResponse | ApiError>

type Result = Promise<PlainResponse | ApiError>

/** Signing in and out, and the list of one's own sessions (web face, section 2). */
export function sessionHandler({
  sessions,
  service,
  signIn,
  linkDevice,
  present,
  isOwnOrigin,
  tags,
  nowMs = Date.now,
}: {
  sessions: Pick<Sessions, 'forget' | 'keep'>
  service: Pick<SessionService, 'end' | 'own' | 'endOwn'>
  signIn: SignIn
  linkDevice: LinkDevice
  present: PresentSession
  isOwnOrigin: IsOwnOrigin
  tags: CredentialTags
  nowMs?: () => number
}): SessionHandler {
  const cookie = (token: string, { expiresAtMs }: Session) => ({
    'set-cookie': cookieOf(token, { expiresAtMs, nowMs: nowMs() }),
  })

  /** A page from elsewhere must not sign somebody in as another person; programs send no Origin. */
  const isForeign = ({ headers }: Request) => headers.has('origin') && !isOwnOrigin(headers)

  const read = async (request: Request, { client }: Checked): Result => {
    const session = await present(request.headers, client)
    if (session instanceof ApiError) return session
    const token = sessionTokenOf(request.headers)
    if (!session || token === undefined) return signedOut
    return plainJson({ ok: true, data: described(session) }, 200, cookie(token, session))
  }

  const start = async (request: Request, { bytes, client }: Checked): Result => {
    if (isForeign(request)) return foreignOrigin
    const credentials = readCredentials(bytes)
    if (credentials instanceof ApiError) return credentials
    const { headers } = request
    const replaced = sessionTokenOf(headers)
    const before = replaced !== undefined && tags.isTagged('session', replaced) ? hashOf(replaced) : undefined
    const signedIn = await signIn(credentials, { headers, client, present: before })
    if (signedIn instanceof ApiError) return signedIn
    if (before !== undefined) sessions.forget([before])
    const { session, token, recoveryCode, limits } = signedIn
    sessions.keep(session)
    const data = { ...described(session), ...(recoveryCode === undefined ? {} : { recoveryCode }) }
    return plainJson({ ok: true, data }, 201, { ...limits, ...cookie(token, session) })
  }

  const link = async ({ headers }: Request, { bytes, client }: Checked): Result => {
    const linked = await joinDevice({ linkDevice, present, isOwnOrigin }, { headers, bytes, client })
    if (linked instanceof ApiError) return linked
    const { session, token, complete, replaced } = linked
    sessions.forget([replaced])
    sessions.keep(session)
    return plainJson({ ok: true, data: { ...described(session), complete } }, 200, cookie(token, session))
  }

  const end = async (request: Request, { client }: Checked): Result => {
    const { headers, url } = request
    const session = await present(headers, client)
    if (session instanceof ApiError) return session
    if (!session) return plainJson({ ok: true, data: { ended: 0 } }, 200, removal(headers))
    if (!isOwnOrigin(headers)) return foreignOrigin
    const recoveryCode = /[?&]all=true(?:&|$)/.test(url) ? newRecoveryCode(tags) : undefined
    const nextCodeHash = recoveryCode === undefined ? null : requiredHash(tags, recoveryCode)
    const { ended, hasNextCode } = await service.end({ hash: session.hash, nextCodeHash })
    sessions.forget([session.hash, ...ended])
    const data = { ended: ended.length, ...(hasNextCode ? { recoveryCode } : {}) }
    return plainJson({ ok: true, data }, 200, { 'set-cookie': REMOVED_COOKIE })
  }

  const own = ownSessions({ sessions, service })
  const handlers: Readonly<Record<string, SessionHandler>> = {
    'GET /session': read,
    'POST /session': start,
    'POST /session/link': link,
    'DELETE /session': end,
    'GET /sessions': own.list,
    'DELETE /sessions/{id}': own.end,
  }

  return async (request, checked) => {
    const { method, path } = checked.route
    const handler = handlers[`${method} ${path}`]
    if (!handler) throw new Error(`${method} ${path} is no route of sessions`)
    try {
      return await handler(request, checked)
    } catch (error) {
      if (error instanceof ApiError) return error
      throw error
    }
  }
}

/** What a page may know of its session; the token it never sees. */
const described = ({ userId, kind, tier, expiresAtMs }: Session) => ({
  userId: userId ?? null,
  kind,
  ...(tier === 0 ? {} : { tier }),
  expiresAt: new Date(expiresAtMs).toISOString(),
})

/** It leaves a worthless cookie: another tab may have signed in meanwhile, and the removal would hit that session. */
const signedOut: PlainResponse = { status: 204, headers: {}, body: null }

/** Removes a worthless cookie. */
const removal = (headers: Headers): Record<string, string> =>
  hasSessionCookie(headers) ? { 'set-cookie': REMOVED_COOKIE } : {}
