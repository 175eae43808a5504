import { createHmac } from 'node:crypto'

/** `X-Line-Signature`: base64 of HMAC-SHA256 of the body's bytes under the channel secret (LINE's reference, webhooks). */
export const signatureOf = (channelSecret: string, body: string | Uint8Array): string =>
  createHmac('sha256', channelSecret).update(body).digest('base64')
