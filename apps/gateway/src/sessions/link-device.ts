import type { NewSession } from '@palanquin/domain/session'
import { deviceNameOf } from '@palanquin/domain/user-agent'
import type { CredentialTags } from '@palanquin/service/credential-tags'
import { ApiError } from '@palanquin/service/http/api-error'
import type { Credentials } from './credentials.ts'
import { identify, type Judges } from './identify.ts'
import { type ProofLimits, proofs } from './proofs.ts'
import { codeHashOf, hashOf, newToken } from './secrets.ts'
import type { Session } from './session.ts'
import type { SessionService } from './session-service.ts'

export type Linked = { session: Session; token: string; complete: boolean }

export type LinkDevice = (
  credentials: Credentials,
  caller: { headers: Headers; client: () => string; present: Session },
) => Promise<Linked | ApiError>

const wrongWay = new ApiError(
  'invalid',
  'body: expected liffIdToken or code and verifier with the session of a device, or recoveryCode with that of a LINE id',
)
const unknownCode = new ApiError('unauthorized', 'This recovery code is not valid, or was used.')
const notLine = new ApiError('conflict', 'A recovery code is joined to a LINE id: sign in with LINE first.')

/**
 * Joins the walk of a device to a LINE id for a caller who is authenticated as both: the device by its session and the LINE id by
 * LINE, or the LINE id by its session and the device by its recovery code. The caller gets a new session of the LINE id.
 */
export function linkDevice({
  service,
  judges,
  limits,
  tags,
}: {
  service: Pick<SessionService, 'link'>
  judges: Judges
  limits: ProofLimits
  tags: CredentialTags
}): LinkDevice {
  const { inTurn, failed } = proofs(limits)
  const join = async (
    userId: string,
    { headers, present }: Pick<Parameters<LinkDevice>[1], 'headers' | 'present'>,
    codeHash: string | null,
    arrivedAt: number,
  ) => {
    const token = newToken(tags)
    const session: NewSession = {
      hash: hashOf(token),
      userId,
      replaces: present.hash,
      kind: 'line',
      adminKey: null,
      adminRole: null,
      codeHash: null,
      device: deviceNameOf(headers.get('user-agent') ?? ''),
    }
    const linked = await service.link({ present: present.hash, session, codeHash }, arrivedAt)
    return linked instanceof ApiError ? linked : { ...linked, token }
  }

  return async (credentials, { headers, client, present }) => {
    const arrivedAt = Date.now()
    if (credentials.by === 'liff' || credentials.by === 'code') {
      const identified = await identify(judges, credentials, { headers, client })
      if (identified instanceof ApiError) return failed(identified, client())
      return 'userId' in identified
        ? join(identified.userId, { headers, present }, null, arrivedAt)
        : wrongWay
    }
    if (credentials.by !== 'recovery') return wrongWay
    if (present.kind !== 'line' || present.userId === undefined) return notLine
    const { userId } = present
    const address = client()
    const codeHash = codeHashOf(tags, credentials.code)
    if (codeHash === undefined) return failed(unknownCode, address, 'recoveryCodeGuesses')
    const linked = await inTurn(address, () => join(userId, { headers, present }, codeHash, arrivedAt))
    return linked instanceof ApiError ? failed(linked, address, 'recoveryCodeGuesses') : linked
  }
}
