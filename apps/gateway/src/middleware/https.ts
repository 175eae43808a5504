import { isIP } from 'node:net'
import { ApiError } from '@palanquin/service/http/api-error'
import { trustedBy } from '../config/proxies.ts'

/** The client's address, or why the request is refused. `peer` is a system call. */
export type HttpsCheck = (headers: Headers, peer: () => string) => { client: () => string } | ApiError

const apiError = new ApiError('forbidden', 'Please use HTTPS.')

/**
 * HTTPS, and the client's address. Without proxies the gateway itself terminates TLS and the client is the peer. With
 * them only their requests are served, only those that came over HTTPS, and the client is the last address of
 * X-Forwarded-For that is not a proxy's.
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

/** Reads from the right: whatever is left of an untrusted address was written by that client. */
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
