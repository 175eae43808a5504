import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { Problem } from './problem.ts'
import { parameter, type S3Request } from './request.ts'

// Signature Version 4: https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-authenticating-requests.html
const ALGORITHM = 'AWS4-HMAC-SHA256'
const SKEW_MS_MAX = 15 * 60 * 1000
const EXPIRES_S_MAX = 7 * 24 * 3600

export type Credentials = { accessKeyId: string; secretAccessKey: string; region: string }
/** The state from which the signatures of the body's chunks continue. */
export type Seed = { key: Buffer; time: string; scope: string; signature: string }
/** An authenticated request; `payload` says how its body is protected. */
export type Verified = { payload: string; seed: Seed }

type Claim = {
  credential: string
  signedHeaders: string
  signature: string
  time: string
  payload: string | undefined
  /** Presigned only: validity in seconds from `time`. */
  expires?: string | undefined
}

/** Verifies the signature in the header, or in the query of a presigned URL. */
export function verify(request: S3Request, credentials: Credentials, nowMs: number): Verified | Problem {
  const claim = readClaim(request)
  if ('problem' in claim) return claim
  const timeMs = parseTime(claim.time)
  if (timeMs === undefined) return { problem: 'AccessDenied', detail: 'x-amz-date is missing or no time.' }
  const late = judgeTime(claim, timeMs, nowMs)
  if (late) return late
  const scope = `${claim.time.slice(0, 8)}/${credentials.region}/s3/aws4_request`
  const [accessKeyId, claimedScope] = splitCredential(claim.credential)
  if (!equal(accessKeyId, credentials.accessKeyId)) return { problem: 'InvalidAccessKeyId' }
  if (claimedScope !== scope)
    return { problem: 'AuthorizationHeaderMalformed', detail: `The scope should be ${scope}.` }
  const headers = claim.signedHeaders.split(';')
  const unsigned = [...request.headers.keys()].find(
    (name) => name.startsWith('x-amz-') && !headers.includes(name),
  )
  if (unsigned || !headers.includes('host'))
    return { problem: 'AccessDenied', detail: `${unsigned ?? 'host'} is not signed.` }
  if (!claim.payload) return { problem: 'InvalidRequest', detail: 'x-amz-content-sha256 is missing.' }
  const key = signingKey(credentials.secretAccessKey, scope)
  const canonical = canonicalRequest(request, headers, claim.payload)
  const signature = sign(key, [ALGORITHM, claim.time, scope, sha256(canonical)])
  if (!equal(claim.signature, signature)) return { problem: 'SignatureDoesNotMatch' }
  return { payload: claim.payload, seed: { key, time: claim.time, scope, signature } }
}

/** HMAC of the lines, in hex. */
export function sign(key: Buffer, lines: string[]): string {
  return createHmac('sha256', key).update(lines.join('\n')).digest('hex')
}

/** Compares two secrets in constant time. */
export function equal(one: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(sha256(one)), Buffer.from(sha256(other)))
}

/** In hex. */
export function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex')
}

function readClaim(request: S3Request): Claim | Problem {
  const header = request.headers.get('authorization')
  if (header !== undefined) {
    const parts =
      /^AWS4-HMAC-SHA256 +Credential=([^, ]+), *SignedHeaders=([^, ]+), *Signature=([^, ]+)$/.exec(header)
    if (!parts) return { problem: 'AuthorizationHeaderMalformed' }
    const [, credential = '', signedHeaders = '', signature = ''] = parts
    const time = request.headers.get('x-amz-date') ?? ''
    return {
      credential,
      signedHeaders,
      signature,
      time,
      payload: request.headers.get('x-amz-content-sha256'),
    }
  }
  if (parameter(request, 'x-amz-algorithm') !== ALGORITHM) return { problem: 'AccessDenied' }
  const read = (name: string) => parameter(request, name) ?? ''
  return {
    credential: read('x-amz-credential'),
    signedHeaders: read('x-amz-signedheaders'),
    signature: read('x-amz-signature'),
    time: read('x-amz-date'),
    payload:
      parameter(request, 'x-amz-content-sha256') ??
      request.headers.get('x-amz-content-sha256') ??
      'UNSIGNED-PAYLOAD',
    expires: read('x-amz-expires'),
  }
}

function judgeTime({ expires }: Claim, timeMs: number, nowMs: number): Problem | undefined {
  if (expires === undefined)
    return Math.abs(nowMs - timeMs) > SKEW_MS_MAX ? { problem: 'RequestTimeTooSkewed' } : undefined
  if (!/^\d{1,6}$/.test(expires) || Number(expires) < 1 || Number(expires) > EXPIRES_S_MAX) {
    return { problem: 'InvalidArgument', detail: 'X-Amz-Expires is 1 to 604800 seconds.' }
  }
  const early = timeMs - nowMs > SKEW_MS_MAX
  const past = nowMs > timeMs + Number(expires) * 1000
  return early || past
    ? { problem: 'AccessDenied', detail: 'The presigned request is not valid at this time.' }
    : undefined
}

function canonicalRequest(request: S3Request, headers: string[], payload: string): string {
  const query = request.query
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
  const lines = headers.map(
    (name) => `${name}:${(request.headers.get(name) ?? '').trim().replace(/\s+/g, ' ')}\n`,
  )
  const path = request.path.split('/').map(encode).join('/')
  return [request.method, path, query.join('&'), lines.join(''), headers.join(';'), payload].join('\n')
}

function signingKey(secret: string, scope: string): Buffer {
  const parts = scope.split('/')
  return parts.reduce(
    (key, part) => createHmac('sha256', key).update(part).digest(),
    Buffer.from(`AWS4${secret}`),
  )
}

/** RFC 3986, which is stricter than encodeURIComponent. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

function splitCredential(credential: string): [accessKeyId: string, scope: string] {
  const at = credential.indexOf('/')
  return at < 0 ? [credential, ''] : [credential.slice(0, at), credential.slice(at + 1)]
}

function parseTime(text: string): number | undefined {
  const iso = text.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z')
  const timeMs = iso === text ? Number.NaN : Date.parse(iso)
  return Number.isNaN(timeMs) ? undefined : timeMs
}
