import { DeviceOwner } from '@palanquin/domain/device-delivery'
import type { CredentialTags } from '@palanquin/service/credential-tags'
import { ApiError, StoreUnavailable } from '@palanquin/service/http/api-error'
import { countedAs } from '@palanquin/service/http/client-address'
import { isWriteToken, isWriteTokenForm, writeTokenHash } from '@palanquin/service/write-token'
import { clientOf } from '../proxy/client.ts'
import type { Service } from '../proxy/service.ts'
import type { RateLimit } from '../rate-limit/rate-limit.ts'
import { Turns } from '../turns.ts'

const DEADLINE_MS = 5_000

/** The participant of a write token; undefined where the text is none, 401 for an unknown one, 503 when that cannot be looked up. */
export type JudgeDeviceToken = (
  token: string | undefined,
  client: () => string,
) => Promise<{ userId: string } | ApiError | undefined>

const unknown = new ApiError('unauthorized', 'This device token is not known, or was revoked.', {
  'www-authenticate': 'Bearer error="invalid_token"',
})
const away = new ApiError(
  'unavailable',
  'The device token cannot be verified right now. Please try again shortly.',
)

/** As many look-ups of an address as its phones need after a restart. */
const AT_ONCE = { atOnceMax: 10, waitingMax: 500 }

/** Whose a phone app's write token is, for the routes that take one. Wrong ones count as guesses of their address. */
export function deviceTokenJudge({
  service,
  internalToken,
  tags,
  limits,
}: {
  service: Pick<Service, 'call'>
  internalToken: string
  tags: CredentialTags
  limits: Pick<RateLimit, 'wrong'>
}): JudgeDeviceToken {
  const tracking = clientOf({ name: 'tracking', service, internalToken })
  const turns = new Turns(AT_ONCE)
  const ownerOf = async (hash: string): Promise<{ userId: string | null }> => {
    const path = '/internal/device-owner'
    const call = {
      method: 'POST',
      path,
      body: { hash },
      reply: DeviceOwner,
      deadlineMs: DEADLINE_MS,
    } as const
    const reply = await tracking.call(call)
    return reply.ok ? reply.data : { userId: null }
  }
  return async (token, client) => {
    if (token === undefined || !isWriteTokenForm(token)) return undefined
    const address = client()
    try {
      const owner = isWriteToken(tags, token)
        ? await turns.take(countedAs(address), () => ownerOf(writeTokenHash(token)))
        : { userId: null }
      if (owner === undefined) return away
      if (owner.userId !== null) return { userId: owner.userId }
      const counted = await limits.wrong('unknownTokens', address)
      return counted instanceof ApiError ? counted : unknown
    } catch (error) {
      if (error instanceof StoreUnavailable) return away
      throw error
    }
  }
}
