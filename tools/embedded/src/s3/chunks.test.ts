import { describe, expect, test } from 'bun:test'
import { decodeChunks } from './chunks.ts'
import { isProblem } from './problem.ts'
import { readRequest } from './request.ts'
import { type Seed, verify } from './signature.ts'

// The two examples of Amazon's documentation.
const CREDENTIALS = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  region: 'us-east-1',
}
const PLAIN = 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD'
const TRAILER = 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER'
const UNSIGNED = 'STREAMING-UNSIGNED-PAYLOAD-TRAILER'
const CONTENT = Buffer.alloc(66_560, 'a')

function seedOf(payload: string, signature: string, more: Record<string, string> = {}): Seed {
  const headers = {
    host: 's3.amazonaws.com',
    'x-amz-date': '20130524T000000Z',
    'x-amz-storage-class': 'REDUCED_REDUNDANCY',
    'x-amz-content-sha256': payload,
    'content-encoding': 'aws-chunked',
    'x-amz-decoded-content-length': '66560',
    ...more,
  }
  const signed = Object.keys(headers).sort().join(';')
  const credential = `${CREDENTIALS.accessKeyId}/20130524/us-east-1/s3/aws4_request`
  const authorization = `AWS4-HMAC-SHA256 Credential=${credential},SignedHeaders=${signed},Signature=${signature}`
  const request = readRequest({
    method: 'PUT',
    url: '/examplebucket/chunkObject.txt',
    headers: { ...headers, authorization },
  })
  if (isProblem(request)) throw new Error(request.problem)
  const verified = verify(request, CREDENTIALS, Date.UTC(2013, 4, 24))
  if (isProblem(verified)) throw new Error(verified.problem)
  return verified.seed
}

function wire(signatures: string[], trailer: string, content = CONTENT): Buffer {
  const pieces = [content.subarray(0, 65_536), content.subarray(65_536), Buffer.alloc(0)]
  const chunks = pieces.flatMap((piece, at) => {
    const head = `${piece.length.toString(16)}${signatures[at] ? `;chunk-signature=${signatures[at]}` : ''}\r\n`
    return [Buffer.from(head), piece, Buffer.from(piece.length ? '\r\n' : trailer)]
  })
  return Buffer.concat(chunks)
}

function outcome(raw: Buffer, payload: string, seed: Seed) {
  const decoded = decodeChunks(raw, payload, seed)
  return isProblem(decoded)
    ? decoded.problem
    : { same: decoded.body.equals(CONTENT), trailers: Object.fromEntries(decoded.trailers) }
}

describe('signed chunks', () => {
  const seed = () =>
    seedOf(PLAIN, '4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9', {
      'content-length': '66824',
    })
  const signatures = [
    'ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648',
    '0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497',
    'b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9',
  ]

  test("Amazon's example is unwrapped", () => {
    expect(outcome(wire(signatures, '\r\n'), PLAIN, seed())).toEqual({ same: true, trailers: {} })
  })

  test('a changed byte, a chunk without its signature, chunks in another order are refused', () => {
    const changed = Buffer.from(CONTENT).fill('b', 66_000, 66_001)
    const swapped = [signatures[1] ?? '', signatures[0] ?? '', signatures[2] ?? '']
    expect(outcome(wire(signatures, '\r\n', changed), PLAIN, seed())).toBe('SignatureDoesNotMatch')
    expect(outcome(wire([], '\r\n'), PLAIN, seed())).toBe('SignatureDoesNotMatch')
    expect(outcome(wire(swapped, '\r\n'), PLAIN, seed())).toBe('SignatureDoesNotMatch')
  })

  test('a truncated body is refused', () => {
    const whole = wire(signatures, '\r\n')
    const cuts = [0, 1, 80, 90, 65_536, 65_625, 65_720, whole.length - 88, whole.length - 4]
    for (const cut of cuts) expect(outcome(whole.subarray(0, cut), PLAIN, seed())).toBe('IncompleteBody')
  })

  test('bytes after the end are refused', () => {
    expect(outcome(Buffer.concat([wire(signatures, '\r\n'), Buffer.from('more\r\n')]), PLAIN, seed())).toBe(
      'IncompleteBody',
    )
  })
})

describe('signed chunks with a signed trailer', () => {
  const seed = () =>
    seedOf(TRAILER, '106e2a8a18243abcf37539882f36619c00e2dfc72633413f02d3b74544bfeb8e', {
      'x-amz-trailer': 'x-amz-checksum-crc32c',
    })
  const signatures = [
    'b474d8862b1487a5145d686f57f013e54db672cee1c953b3010fb58501ef5aa2',
    '1c1344b170168f8e65b41376b44b20fe354e373826ccbbe2c1d40a8cae51e5c7',
    '2ca2aba2005185cf7159c6277faf83795951dd77a3a99e6e65d5c9f85863f992',
  ]
  const vouched =
    'x-amz-trailer-signature:d81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435\r\n\r\n'

  test("Amazon's example is unwrapped and gives its checksum", () => {
    const raw = wire(signatures, `x-amz-checksum-crc32c:sOO8/Q==\r\n${vouched}`)
    expect(outcome(raw, TRAILER, seed())).toEqual({
      same: true,
      trailers: { 'x-amz-checksum-crc32c': 'sOO8/Q==' },
    })
  })

  test('a changed or unsigned trailer is refused', () => {
    expect(outcome(wire(signatures, `x-amz-checksum-crc32c:sOO9/Q==\r\n${vouched}`), TRAILER, seed())).toBe(
      'SignatureDoesNotMatch',
    )
    expect(outcome(wire(signatures, 'x-amz-checksum-crc32c:sOO8/Q==\r\n\r\n'), TRAILER, seed())).toBe(
      'SignatureDoesNotMatch',
    )
  })
})

test('unsigned chunks are unwrapped and give their trailer; without one too', () => {
  const seed: Seed = { key: Buffer.alloc(32), time: '', scope: '', signature: '' }
  const trailers = { 'x-amz-checksum-crc32': 'abc=' }
  expect(outcome(wire([], 'x-amz-checksum-crc32:abc=\r\n\r\n'), UNSIGNED, seed)).toEqual({
    same: true,
    trailers,
  })
  expect(outcome(wire([], '\r\n'), UNSIGNED, seed)).toEqual({ same: true, trailers: {} })
})

test('an unknown scheme is refused, and its body not stored as it is', () => {
  const seed: Seed = { key: Buffer.alloc(32), time: '', scope: '', signature: '' }
  expect(outcome(wire([], '\r\n'), 'STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD', seed)).toBe('NotImplemented')
})
