import { describe, expect, test } from 'bun:test'
import { isProblem } from './problem.ts'
import { readRequest } from './request.ts'
import { verify } from './signature.ts'

// The examples of Amazon's own documentation of Signature Version 4 for S3 (header and query authentication).
const CREDENTIALS = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  region: 'us-east-1',
}
const SCOPE = 'AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request'
const NOW = Date.UTC(2013, 4, 24)
const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
const BASE = {
  host: 'examplebucket.s3.amazonaws.com',
  'x-amz-date': '20130524T000000Z',
  'x-amz-content-sha256': EMPTY,
}

function judge(
  method: string,
  url: string,
  headers: Record<string, string>,
  { nowMs = NOW, credentials = CREDENTIALS } = {},
) {
  const request = readRequest({ method, url, headers })
  if (isProblem(request)) return request.problem
  const verdict = verify(request, credentials, nowMs)
  return isProblem(verdict) ? verdict.problem : 'ok'
}

function authorization(signed: string, signature: string): string {
  return `AWS4-HMAC-SHA256 Credential=${SCOPE},SignedHeaders=${signed},Signature=${signature}`
}

const GET_OBJECT = {
  ...BASE,
  range: 'bytes=0-9',
  authorization: authorization(
    'host;range;x-amz-content-sha256;x-amz-date',
    'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  ),
}
const PRESIGNED = `/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=${encodeURIComponent(SCOPE)}&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404`

describe("the signatures of Amazon's documentation are accepted", () => {
  test('GET of a range', () => {
    expect(judge('GET', '/test.txt', GET_OBJECT)).toBe('ok')
  })

  test('PUT of a key with a dollar sign', () => {
    const headers = {
      ...BASE,
      date: 'Fri, 24 May 2013 00:00:00 GMT',
      'x-amz-content-sha256': '44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072',
      'x-amz-storage-class': 'REDUCED_REDUNDANCY',
      authorization: authorization(
        'date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class',
        '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
      ),
    }
    expect(judge('PUT', '/test$file.text', headers)).toBe('ok')
  })

  test('a listing, with its query', () => {
    const signature = '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7'
    const headers = {
      ...BASE,
      authorization: authorization('host;x-amz-content-sha256;x-amz-date', signature),
    }
    expect(judge('GET', '/?max-keys=2&prefix=J', headers)).toBe('ok')
    expect(judge('GET', '/?prefix=J&max-keys=2', headers)).toBe('ok')
    expect(judge('GET', '/?max-keys=3&prefix=J', headers)).toBe('SignatureDoesNotMatch')
  })

  test('a presigned GET', () => {
    const headers = { host: 'examplebucket.s3.amazonaws.com' }
    expect(judge('GET', PRESIGNED, headers)).toBe('ok')
    expect(judge('GET', PRESIGNED, headers, { nowMs: NOW + 86_400_000 })).toBe('ok')
    expect(judge('GET', PRESIGNED, headers, { nowMs: NOW + 86_401_000 })).toBe('AccessDenied')
    expect(judge('PUT', PRESIGNED, headers)).toBe('SignatureDoesNotMatch')
    expect(judge('GET', PRESIGNED.replace('86400', '86401'), headers)).toBe('SignatureDoesNotMatch')
    expect(judge('GET', PRESIGNED.replace('86400', '604801'), headers)).toBe('InvalidArgument')
  })
})

describe('a modified request, or one of another key, is refused', () => {
  test.each([
    ['another method', 'DELETE', '/test.txt', {}],
    ['another path', 'GET', '/test.txu', {}],
    ['another range', 'GET', '/test.txt', { range: 'bytes=0-99' }],
    ['another body', 'GET', '/test.txt', { 'x-amz-content-sha256': EMPTY.replace('e3', 'e4') }],
    [
      'another signature',
      'GET',
      '/test.txt',
      { authorization: GET_OBJECT.authorization.replace('f0e8', 'f0e9') },
    ],
  ])('%s', (_, method, path, change) => {
    expect(judge(method, path, { ...GET_OBJECT, ...change })).toBe('SignatureDoesNotMatch')
  })

  test('another secret, another access key, another region', () => {
    const judgeWith = (change: object) =>
      judge('GET', '/test.txt', GET_OBJECT, { credentials: { ...CREDENTIALS, ...change } })
    expect(judgeWith({ secretAccessKey: 'other' })).toBe('SignatureDoesNotMatch')
    expect(judgeWith({ accessKeyId: 'other' })).toBe('InvalidAccessKeyId')
    expect(judgeWith({ region: 'eu-west-1' })).toBe('AuthorizationHeaderMalformed')
  })

  test('no authorization at all, and one that is not of version 4', () => {
    expect(judge('GET', '/test.txt', BASE)).toBe('AccessDenied')
    expect(judge('GET', '/test.txt', { ...BASE, authorization: 'AWS key:signature' })).toBe(
      'AuthorizationHeaderMalformed',
    )
  })

  test('an x-amz header that the signature does not cover', () => {
    expect(judge('GET', '/test.txt', { ...GET_OBJECT, 'x-amz-meta-slipped': 'in' })).toBe('AccessDenied')
  })

  test('a clock more than 15 minutes off, either way', () => {
    const quarter = 15 * 60_000
    for (const sign of [1, -1]) {
      expect(judge('GET', '/test.txt', GET_OBJECT, { nowMs: NOW + sign * quarter })).toBe('ok')
      expect(judge('GET', '/test.txt', GET_OBJECT, { nowMs: NOW + sign * (quarter + 1) })).toBe(
        'RequestTimeTooSkewed',
      )
    }
  })
})
