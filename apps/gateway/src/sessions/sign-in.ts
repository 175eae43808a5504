import { ROLE_LEVEL, ROLES } from '@palanquin/domain/role'
import type { NewSession } from '@palanquin/domain/session'
import { deviceNameOf } from '@palanquin/domain/user-agent'
import type { CredentialTags } from '@palanquin/service/credential-tags'
import { ApiError } from '@palanquin/service/http/api-error'
import type { RateLimit } from '../rate-limit/rate-limit.ts'
import type { LimitHeaders } from '../response.ts'
import type { Credentials } from './credentials.ts'
import { identify, type Judges } from './identify.ts'
import { type ProofLimits, proofs } from './proofs.ts'
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

/** A new session with its token, and a recovery code for who has no other way back. `limits`: of a new device. */
export type SignedIn = { session: Session; token: string; recoveryCode?: string; limits?: LimitHeaders }

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
  tags,
}: {
  service: Pick<SessionService, 'start' | 'recover'>
  judges: Judges
  limits: ProofLimits & Pick<RateLimit, 'signInOf' | 'admin'>
  tags: CredentialTags
}): SignIn {
  const { inTurn, failed } = proofs(limits)
  const recover = async (
    { code, attempt: nonce }: { code: string; attempt: string | undefined },
    { headers, client, present }: Parameters<SignIn>[1],
  ) => {
    const address = client()
    const codeHash = codeHashOf(tags, code)
    if (codeHash === undefined) return failed(unknownCode, address, 'recoveryCodeGuesses')
    const [token, recoveryCode] = [newToken(tags), newRecoveryCode(tags)]
    const session = await inTurn(address, () =>
      service.recover({
        hash: hashOf(token),
        codeHash,
        nextCodeHash: requiredHash(tags, recoveryCode),
        replaces: present ?? null,
        attemptHash: nonce === undefined ? null : attemptHashOf(nonce),
        device: deviceOf(headers),
      }),
    )
    if (session instanceof ApiError) return session
    return session ? { session, token, recoveryCode } : failed(unknownCode, address, 'recoveryCodeGuesses')
  }

  /** The join that this attempt has begun, whose answer was lost, and with it the recovery code. */
  const answerAgain = async (
    nonce: string,
    { headers, client, present }: Parameters<SignIn>[1],
  ): Promise<SignedIn | ApiError | undefined> => {
    const [token, recoveryCode, attemptHash] = [newToken(tags), newRecoveryCode(tags), attemptHashOf(nonce)]
    const session = await inTurn(client(), () =>
      service.recover({
        hash: hashOf(token),
        codeHash: attemptHash,
        nextCodeHash: requiredHash(tags, recoveryCode),
        replaces: present ?? null,
        attemptHash,
        device: deviceOf(headers),
      }),
    )
    return session === undefined || session instanceof ApiError ? session : { session, token, recoveryCode }
  }

  return async (credentials, caller) => {
    if (credentials.by === 'recovery') return recover(credentials, caller)
    if (credentials.by === 'attempt') {
      const again = await answerAgain(credentials.attempt, caller)
      return again ?? failed(unknownAttempt, caller.client(), 'recoveryCodeGuesses')
    }
    const token = newToken(tags)
    const arrivedAt = Date.now()
    const start = async (who: Partial<NewSession>): Promise<Session> => {
      const known = {
        hash: hashOf(token),
        replaces: caller.present ?? null,
        device: deviceOf(caller.headers),
      }
      return service.start({ ...BLANK_SESSION, ...known, ...who }, arrivedAt)
    }
    if (credentials.by === 'device') {
      const { attempt } = credentials
      const again = attempt === undefined ? undefined : await answerAgain(attempt, caller)
      if (again) return again
      const place = await limits.signIn(caller.client())
      if (place instanceof ApiError) return place
      const recoveryCode = newRecoveryCode(tags)
      const who = {
        kind: 'device',
        userId: newDeviceId(),
        codeHash: requiredHash(tags, recoveryCode),
      } as const
      const attemptHash = attempt === undefined ? null : attemptHashOf(attempt)
      return { session: await start({ ...who, attemptHash }), token, recoveryCode, limits: place.headers }
    }
    const identified = await identify(judges, credentials, caller)
    if (identified instanceof ApiError) return failed(identified, caller.client())
    const counted =
      'userId' in identified
        ? await limits.signInOf(identified.userId)
        : await limits.admin(identified.admin.countedAs)
    if (counted instanceof ApiError) return counted
    if ('userId' in identified) return { session: await start({ kind: 'line', ...identified }), token }
    const { token: adminToken, tier } = identified.admin
    const adminRole = ROLES.find((role) => ROLE_LEVEL[role] === tier) ?? null
    return { session: await start({ kind: 'admin', adminKey: adminKeyOf(adminToken), adminRole }), token }
  }
}

/** To be filled in by what was signed in with. */
const BLANK_SESSION = { kind: 'line', userId: null, adminKey: null, adminRole: null, codeHash: null } as const

const deviceOf = (headers: Headers): string | null => deviceNameOf(headers.get('user-agent') ?? '')
