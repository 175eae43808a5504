import { DeviceOwner } from '@palanquin/domain/device-delivery'
import { ApiError, StoreUnavailable } from '@palanquin/service/http/api-error'
import { isWriteToken, writeTokenHash } from '@palanquin/service/write-token'
import { clientOf } from '../proxy/client.ts'
import type { Service } from '../proxy/service.ts'
import type { RateLimit } from '../rate-limit/rate-limit.ts'

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

/**
 * Whose a phone app's write token is, for the routes that take one. Unknown ones count as guesses of their address; over
 * that limit memory alone decides, as for the apps themselves.
 */
export function deviceTokenJudge({
  service,
  internalToken,
  limits,
}: {
  service: Pick<Service, 'call'>
  internalToken: string
  limits: Pick<RateLimit, 'unknownToken'>
}): JudgeDeviceToken {
  const tracking = clientOf({ name: 'tracking', service, internalToken })
  return async (token, client) => {
    if (token === undefined || !isWriteToken(token)) return undefined
    const guess = await limits.unknownToken(client())
    const body = { hash: writeTokenHash(token), memoryOnly: !guess.allowed }
    try {
      const reply = await tracking.call({
        ...{ method: 'POST', path: '/internal/device-owner', body },
        ...{ reply: DeviceOwner, deadlineMs: DEADLINE_MS },
      })
      if (!reply.ok || reply.data.userId === null) return unknown
      if (guess.allowed) void guess.giveBack()
      return { userId: reply.data.userId }
    } catch (error) {
      if (error instanceof StoreUnavailable) return away
      throw error
    }
  }
}
