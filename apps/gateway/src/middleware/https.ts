import { isIP } from 'node:net'
import { ApiError } from '@palanquin/service/http/api-error'
import { trustedBy } from '../config/proxies.ts'

/** The address of the client that a request came from, or why it is refused. Looking who the peer is is a system call. */
export type HttpsCheck = (headers: Headers, peer: () => string) => { client: () => string } | ApiError

const apiError = new ApiError('forbidden', 'Please use HTTPS.')

/**
 * HTTPS, and whom the connection belongs to. Without proxies the gateway itself speaks TLS and the client is the
 * socket's other end. With them only their requests are served, only those that came to them over HTTPS, and the
 * client is the last address of X-Forwarded-For that is not a proxy's own.
 */
export function checkHttps(trustedProxies: readonly string[]): HttpsCheck {
  if (trustedProxies.length === 0) return (_headers, peer) => ({ client: peer })
  const trusted = trustedBy(trustedProxies)
  return (headers, peerOf) => {
    const peer = peerOf()
    if (!trusted(peer)) return apiError
    if (headers.get('x-forwarded-proto')?.trim().toLowerCase() !== 'https') return apiError
    return { client: () => lastUntrusted(headers.get('x-forwarded-for') ?? '', { peer, trusted }) }
  }
}

/** Reads from the right: what stands left of an untrusted address was written by that client itself. */
function lastUntrusted(
  forwardedFor: string,
  { peer, trusted }: { peer: string; trusted: (address: string) => boolean },
): string {
  let client = peer
  for (const part of forwardedFor.split(',').toReversed()) {
    const address = withoutPort(part.trim())
    if (isIP(address) === 0) break
    client = address
    if (!trusted(address)) break
  }
  return client
}

/** `192.0.2.1:4711` and `[2001:db8::1]:4711`, as some proxies write it. */
const withoutPort = (text: string): string =>
  /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(text)?.[1] ?? text
