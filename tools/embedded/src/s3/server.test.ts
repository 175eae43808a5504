import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import type { Server } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BODY_BYTES_MAX, createS3Server } from './server.ts'
import { sha256 } from './signature.ts'
import { ObjectStore } from './store.ts'

const CREDENTIALS = { accessKeyId: 'access', secretAccessKey: 'secret', region: 'us-east-1' }
const NOW = Date.UTC(2026, 4, 1, 12)
const TIME = '20260501T120000Z'
const UNSIGNED = 'STREAMING-UNSIGNED-PAYLOAD-TRAILER'
let folder: string
let store: ObjectStore
let server: Server
let port: number

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 's3-server-'))
  store = new ObjectStore(folder)
  store.createBucket('pictures')
  server = createS3Server({ store, credentials: CREDENTIALS, now: () => NOW })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  port = typeof address === 'object' && address ? address.port : 0
})
afterAll(() => {
  server.close()
  store.close()
  rmSync(folder, { recursive: true })
})

/** A raw request, signed over its headers; `path` is sent unchanged. */
async function send(
  method: string,
  path: string,
  { headers = {}, body = '' }: { headers?: Record<string, string>; body?: string } = {},
) {
  const all: Record<string, string> = {
    host: 's3.test',
    'x-amz-date': TIME,
    'x-amz-content-sha256': sha256(body),
    ...headers,
  }
  const names = Object.keys(all).sort()
  const lines = names.map((name) => `${name}:${all[name]}\n`).join('')
  const canonical = [method, path, '', lines, names.join(';'), all['x-amz-content-sha256']].join('\n')
  const scope = '20260501/us-east-1/s3/aws4_request'
  const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()
  const key = scope
    .split('/')
    .reduce((former, part) => hmac(former, part), Buffer.from(`AWS4${CREDENTIALS.secretAccessKey}`))
  const signature = hmac(key, ['AWS4-HMAC-SHA256', TIME, scope, sha256(canonical)].join('\n')).toString('hex')
  const authorization = `AWS4-HMAC-SHA256 Credential=access/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`
  return await exchange(
    method,
    path,
    { ...all, authorization, 'content-length': `${Buffer.byteLength(body)}` },
    body,
  )
}

function exchange(
  method: string,
  path: string,
  headers: Record<string, string>,
  body: string,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    const lines = Object.entries({ ...headers, connection: 'close' }).map(
      ([name, value]) => `${name}: ${value}\r\n`,
    )
    socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`)
    let answer = ''
    socket.on('data', (bytes) => {
      answer += bytes.toString()
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(/<Code>(\w+)</.exec(answer)?.[1] ?? answer.split(' ')[1] ?? 'nothing'))
  })
}

const stored = (key: string) => store.get({ bucket: 'pictures', key })?.bytes.toString()

describe('a body in unsigned chunks with a trailing checksum', () => {
  const chunks = (trailer: string) => `3\r\nabc\r\n3\r\ndef\r\n0\r\n${trailer}\r\n`
  const headers = {
    'x-amz-content-sha256': UNSIGNED,
    'x-amz-decoded-content-length': '6',
    'x-amz-trailer': 'x-amz-checksum-crc32',
    'content-encoding': 'aws-chunked',
  }

  test('is stored without its chunk headers', async () => {
    expect(
      await send('PUT', '/pictures/chunks', { headers, body: chunks('x-amz-checksum-crc32:S4457w==\r\n') }),
    ).toBe('200')
    expect(stored('chunks')).toBe('abcdef')
    expect(store.head({ bucket: 'pictures', key: 'chunks' })?.headers).toEqual({})
  })

  test('is refused when the checksum is wrong, or missing, or the length is not the one announced', async () => {
    const body = chunks('x-amz-checksum-crc32:S4457w==\r\n')
    expect(await send('PUT', '/pictures/refused', { headers, body: body.replace('S445', 'S446') })).toBe(
      'BadDigest',
    )
    expect(await send('PUT', '/pictures/refused', { headers, body: body.replace('def', 'deg') })).toBe(
      'BadDigest',
    )
    expect(await send('PUT', '/pictures/refused', { headers, body: chunks('') })).toBe('IncompleteBody')
    const longer = { ...headers, 'x-amz-decoded-content-length': '7' }
    expect(await send('PUT', '/pictures/refused', { headers: longer, body })).toBe('IncompleteBody')
    expect(stored('refused')).toBeUndefined()
  })
})

test('a body with another hash than the signed one is refused', async () => {
  const headers = { 'x-amz-content-sha256': sha256('signed') }
  expect(await send('PUT', '/pictures/hash', { headers, body: 'signed' })).toBe('200')
  expect(await send('PUT', '/pictures/hash', { headers, body: 'slipped in' })).toBe(
    'XAmzContentSHA256Mismatch',
  )
  expect(stored('hash')).toBe('signed')
})

describe('paths on the wire', () => {
  test('dots and escaped slashes are part of the key', async () => {
    expect(await send('PUT', '/pictures/../../etc/passwd', { body: 'dots' })).toBe('200')
    expect(stored('../../etc/passwd')).toBe('dots')
    expect(await send('PUT', '/pictures/..%252F', { body: 'literal' })).toBe('200')
    expect(stored('..%2F')).toBe('literal')
  })

  test.each([
    ['/pictures/%FF', 'InvalidURI'],
    ['/pictures/%', 'InvalidURI'],
    ['/pictures/a%00b', 'InvalidArgument'],
    ['/pictures/a%0Ab', 'InvalidArgument'],
    [`/pictures/${'k'.repeat(1025)}`, 'KeyTooLongError'],
    ['/', 'MethodNotAllowed'],
    ['/..', 'InvalidBucketName'],
  ])('PUT %s is %s', async (path, outcome) => {
    expect(await send('PUT', path)).toBe(outcome)
  })

  test('an unsupported method is 405 once the signature is right', async () => {
    expect(await send('PATCH', '/pictures/key')).toBe('MethodNotAllowed')
  })
})

test('a body without a signature is refused before it is read', async () => {
  // the response comes although none of the announced bytes is sent
  const headers = { host: 's3.test', 'content-length': `${BODY_BYTES_MAX}` }
  expect(await exchange('PUT', '/pictures/unread', headers, '')).toBe('AccessDenied')
})
