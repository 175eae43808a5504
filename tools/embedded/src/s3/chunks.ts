import type { Problem } from './problem.ts'
import { equal, type Seed, sha256, sign } from './signature.ts'

// https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html and sigv4-streaming-trailers.html
const SCHEMES: Record<string, { signed: boolean; trailer: boolean }> = {
  'STREAMING-AWS4-HMAC-SHA256-PAYLOAD': { signed: true, trailer: false },
  'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER': { signed: true, trailer: true },
  'STREAMING-UNSIGNED-PAYLOAD-TRAILER': { signed: false, trailer: true },
}
const LINE_BYTES_MAX = 1024 // a chunk's size and signature, or one trailer
const TRAILERS_MAX = 16

export type Decoded = { body: Buffer; trailers: Map<string, string> }

/** Whether a payload scheme is one of `aws-chunked` bodies. */
export function isChunked(payload: string): boolean {
  return payload.startsWith('STREAMING-')
}

/** Unwraps an `aws-chunked` body and checks every signature in it. */
export function decodeChunks(raw: Buffer, payload: string, seed: Seed): Decoded | Problem {
  const scheme = SCHEMES[payload]
  if (!scheme) return { problem: 'NotImplemented', detail: `There is no scheme ${payload} here.` }
  const chain = { ...seed }
  const parts: Buffer[] = []
  for (let at = 0; ; ) {
    const head = readLine(raw, at)
    const [, size, signature] =
      /^([0-9a-fA-F]{1,8})(?:;chunk-signature=([0-9a-f]{64}))?$/.exec(head?.text ?? '') ?? []
    if (!head || size === undefined) return { problem: 'IncompleteBody' }
    const length = Number.parseInt(size, 16)
    const data = raw.subarray(head.end, head.end + length)
    if (data.length !== length) return { problem: 'IncompleteBody' }
    if (scheme.signed && !follows(chain, signature, 'PAYLOAD', [sha256(''), sha256(data)]))
      return { problem: 'SignatureDoesNotMatch' }
    if (length === 0) return finish(raw.subarray(head.end), parts, scheme, chain)
    parts.push(data)
    at = head.end + length + 2
    if (raw.toString('latin1', at - 2, at) !== '\r\n') return { problem: 'IncompleteBody' }
  }
}

function finish(
  rest: Buffer,
  parts: Buffer[],
  scheme: { signed: boolean; trailer: boolean },
  chain: Seed,
): Decoded | Problem {
  const trailers = readTrailers(rest)
  if (!trailers || (!scheme.trailer && trailers.size > 0)) return { problem: 'IncompleteBody' }
  const signature = trailers.get('x-amz-trailer-signature')
  trailers.delete('x-amz-trailer-signature')
  const text = [...trailers].map(([name, value]) => `${name}:${value}\n`).join('')
  const vouched = !scheme.signed || !scheme.trailer || follows(chain, signature, 'TRAILER', [sha256(text)])
  return vouched ? { body: Buffer.concat(parts), trailers } : { problem: 'SignatureDoesNotMatch' }
}

/** Whether the signature is the next of the chain; moves the chain on. */
function follows(chain: Seed, signature: string | undefined, kind: string, hashes: string[]): boolean {
  chain.signature = sign(chain.key, [
    `AWS4-HMAC-SHA256-${kind}`,
    chain.time,
    chain.scope,
    chain.signature,
    ...hashes,
  ])
  return signature !== undefined && equal(signature, chain.signature)
}

/** The lines up to the empty one, at which the body must end. */
function readTrailers(rest: Buffer): Map<string, string> | undefined {
  const trailers = new Map<string, string>()
  for (let at = 0; trailers.size <= TRAILERS_MAX; ) {
    const line = readLine(rest, at)
    if (!line) return at === rest.length ? trailers : undefined // some clients leave the last empty line out
    if (line.text === '') return line.end === rest.length ? trailers : undefined
    const [, name, value] = /^([^:]+):(.*)$/.exec(line.text) ?? []
    if (name === undefined || value === undefined) return undefined
    trailers.set(name.trim().toLowerCase(), value.trim())
    at = line.end
  }
  return undefined
}

function readLine(raw: Buffer, at: number): { text: string; end: number } | undefined {
  const end = raw.subarray(at, at + LINE_BYTES_MAX).indexOf('\r\n')
  return end < 0 ? undefined : { text: raw.toString('latin1', at, at + end), end: at + end + 2 }
}
