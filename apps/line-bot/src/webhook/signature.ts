import { createHmac } from 'node:crypto'
import { sameSecret } from '@palanquin/service/http/secret'

export const SIGNATURE_HEADER = 'x-line-signature'

/** Whether bytes were signed with the channel's secret: base64 of HMAC-SHA256, compared in constant time. */
export function isSigned(
  bytes: Uint8Array,
  { signature, channelSecret }: { signature: string | null; channelSecret: string },
): boolean {
  const expected = createHmac('sha256', channelSecret).update(bytes).digest('base64')
  return sameSecret(signature ?? '', expected)
}
