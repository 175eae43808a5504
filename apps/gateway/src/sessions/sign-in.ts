import { ROLE_LEVEL, ROLES } from '@palanquin/domain/role'
import type { NewSession } from '@palanquin/domain/session'
import { deviceNameOf } from '@palanquin/domain/user-agent'
import { ApiError } from '@palanquin/service/http/api-error'
import type { RateLimit } from '../rate-limit/rate-limit.ts'
import type { Credentials } from './credentials.ts'
import { identify, type Judges } from './identify.ts'
import {
  adminKeyOf,
  codeHashOf,
  hashOf,
  newDeviceId,
  newRecoveryCode,
  newToken,
  requiredHash,
} from './secrets.ts'
import type { Session } from './session.ts'
import type { SessionService } from './session-service.ts'

/** A new session with its token, and a recovery code for who has no other way back. */
export type SignedIn = { session: Session; token: string; recoveryCode?: string }

export type SignIn = (
  credentials: Credentials,
  caller: { headers: Headers; client: () => string; present: string | undefined },
) => Promise<SignedIn | ApiError>

const unknownCode = new ApiError(
  'unauthorized',
  'This recovery code is not valid, or was used: each works once, and gives the next.',
)

const unknownAttempt = new ApiError(
  'unauthorized',
  'No participant was made by this attempt within the last 15 minutes.',
)

const attemptHashOf = (nonce: string): string => hashOf(`attempt:${nonce}`)

/**
 * Signs people in. The token is always a new one, made here, and the session that the browser had before ends: a person cannot be
 * given a session to use (fixation). Only hashes leave this process. @throws StoreUnavailable
 */
export function signIn({
  service,
  judges,
  limits,
}: {
  service: Pick<SessionService, 'start' | 'recover'>
  judges: Judges
  limits: Pick<RateLimit, 'idToken'>
}): SignIn {
  const recover = async (
    { code, attempt: nonce }: { code: string; attempt: string | undefined },
    { headers, client, present }: Parameters<SignIn>[1],
  ) => {
    const attempt = await limits.idToken(client())
    if (!attempt.allowed) return attempt.apiError
    const codeHash = codeHashOf(code)
    const [token, recoveryCode] = [newToken(), newRecoveryCode()]
    const session =
      codeHash === undefined
        ? undefined
        : await service.recover({
            ...{ hash: hashOf(token), codeHash, nextCodeHash: requiredHash(recoveryCode) },
            replaces: present ?? null,
            attemptHash: nonce === undefined ? null : attemptHashOf(nonce),
            device: deviceOf(headers),
          })
    if (!session) return unknownCode
    void attempt.giveBack()
    return { session, token, recoveryCode }
  }

  /** The join that this attempt has begun, whose answer was lost, and with it the recovery code. */
  const answerAgain = async (
    nonce: string,
    { headers, present }: Parameters<SignIn>[1],
  ): Promise<SignedIn | undefined> => {
    const [token, recoveryCode, attemptHash] = [newToken(), newRecoveryCode(), attemptHashOf(nonce)]
    const session = await service.recover({
      ...{ hash: hashOf(token), codeHash: attemptHash, nextCodeHash: requiredHash(recoveryCode) },
      ...{ replaces: present ?? null, attemptHash },
      device: deviceOf(headers),
    })
    return session && { session, token, recoveryCode }
  }

  return async (credentials, caller) => {
    if (credentials.by === 'recovery') return recover(credentials, caller)
    if (credentials.by === 'attempt') {
      const guess = await limits.idToken(caller.client())
      if (!guess.allowed) return guess.apiError
      const again = await answerAgain(credentials.attempt, caller)
      if (again) void guess.giveBack()
      return again ?? unknownAttempt
    }
    const token = newToken()
    const start = async (who: Partial<NewSession>): Promise<Session> =>
      service.start({
        ...BLANK_SESSION,
        hash: hashOf(token),
        replaces: caller.present ?? null,
        device: deviceOf(caller.headers),
        ...who,
      })
    if (credentials.by === 'device') {
      const { attempt } = credentials
      const again = attempt === undefined ? undefined : await answerAgain(attempt, caller)
      if (again) return again
      const recoveryCode = newRecoveryCode()
      const who = { kind: 'device', userId: newDeviceId(), codeHash: requiredHash(recoveryCode) } as const
      const attemptHash = attempt === undefined ? null : attemptHashOf(attempt)
      return { session: await start({ ...who, attemptHash }), token, recoveryCode }
    }
    const identified = await identify(judges, credentials, caller)
    if (identified instanceof ApiError) return identified
    if ('userId' in identified) return { session: await start({ kind: 'line', ...identified }), token }
    const { token: adminToken, tier } = identified.admin
    const adminRole = ROLES.find((role) => ROLE_LEVEL[role] === tier) ?? null
    return { session: await start({ kind: 'admin', adminKey: adminKeyOf(adminToken), adminRole }), token }
  }
}

/** To be filled in by what was signed in with. */
const BLANK_SESSION = { kind: 'line', userId: null, adminKey: null, adminRole: null, codeHash: null } as const

const deviceOf = (headers: Headers): string | null => deviceNameOf(headers.get('user-agent') ?? '')
