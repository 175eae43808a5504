import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Answer } from './answer.ts'
import { CHECKSUM_FIELDS, isChecksum } from './checksum.ts'
import { decodeChunks, isChunked } from './chunks.ts'
import { OPERATIONS } from './operations.ts'
import { describe, isProblem, type Problem } from './problem.ts'
import { field, readRequest, type S3Request } from './request.ts'
import { type Credentials, sha256, type Verified, verify } from './signature.ts'
import type { ObjectStore } from './store.ts'

/** Of one object, which is kept in memory while it is checked; our largest are images. */
export const BODY_BYTES_MAX = 64 * 1024 * 1024
const CHUNK_OVERHEAD_BYTES_MAX = 4 * 1024 * 1024 // 90 bytes per chunk of at least 8 KiB, rounded up
/** Needs no key and returns the pid, since another server may have taken the port. */
export const HEALTH_PATH = '/-/health'

/** The S3 server, not yet listening. */
export function createS3Server(options: {
  store: ObjectStore
  credentials: Credentials
  now(): number
}): Server {
  return createServer(async (message, response) => {
    const requestId = randomUUID()
    try {
      const answer =
        message.url === HEALTH_PATH ? { status: 200, body: `${process.pid}` } : await serve(message, options)
      send(message, response, requestId, answer)
    } catch (error) {
      console.error(
        JSON.stringify({ time: new Date(options.now()).toISOString(), requestId, error: String(error) }),
      )
      send(message, response, requestId, { problem: 'InternalError' })
    }
  })
}

async function serve(
  message: IncomingMessage,
  { store, credentials, now }: { store: ObjectStore; credentials: Credentials; now(): number },
): Promise<Answer | Problem> {
  const request = readRequest(message)
  if (isProblem(request)) return request
  const verified = verify(request, credentials, now())
  if (isProblem(verified)) return verified
  const operation = OPERATIONS[`${request.method} ${request.key === '' ? 'bucket' : 'object'}`]
  if (!operation || request.bucket === '') return { problem: 'MethodNotAllowed' }
  // an unknown parameter (?acl, ?uploadId=…) would otherwise be treated as a plain PUT or GET
  const unknown = request.query.find(
    ([name]) => !/^x-(amz-|id$)/i.test(name) && !operation.parameters.includes(name),
  )
  if (unknown) return { problem: 'NotImplemented', detail: `This small server does not have ?${unknown[0]}.` }
  const creates = request.method === 'PUT' && request.key === ''
  if (!creates && !store.hasBucket(request.bucket)) return { problem: 'NoSuchBucket' }
  const raw = await readBody(message)
  if (isProblem(raw)) return raw
  const body = checkBody(request, verified, raw)
  return isProblem(body) ? body : await operation.run({ request, body, store, nowMs: now() })
}

async function readBody(message: IncomingMessage): Promise<Buffer | Problem> {
  const limit = BODY_BYTES_MAX + CHUNK_OVERHEAD_BYTES_MAX
  if (Number(message.headers['content-length'] ?? 0) > limit) return { problem: 'EntityTooLarge' }
  const parts: Buffer[] = []
  let length = 0
  for await (const part of message) {
    const bytes = Buffer.from(part)
    length += bytes.length
    if (length > limit) return { problem: 'EntityTooLarge' }
    parts.push(bytes)
  }
  const announced = message.headers['content-length']
  return announced !== undefined && Number(announced) !== length
    ? { problem: 'IncompleteBody' }
    : Buffer.concat(parts)
}

/** The object's bytes, once every signature and checksum has been verified. */
function checkBody(request: S3Request, { payload, seed }: Verified, raw: Buffer): Buffer | Problem {
  const decoded = isChunked(payload)
    ? decodeChunks(raw, payload, seed)
    : { body: raw, trailers: new Map<string, string>() }
  if (isProblem(decoded)) return decoded
  const { body, trailers } = decoded
  if (body.length > BODY_BYTES_MAX) return { problem: 'EntityTooLarge' }
  const announced = request.headers.get('x-amz-decoded-content-length')
  if (isChunked(payload) && Number(announced) !== body.length) return { problem: 'IncompleteBody' }
  if (!isChunked(payload) && payload !== 'UNSIGNED-PAYLOAD' && sha256(body) !== payload)
    return { problem: 'XAmzContentSHA256Mismatch' }
  const promised = (request.headers.get('x-amz-trailer') ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
  if (promised.some((name) => name !== '' && !trailers.has(name))) return { problem: 'IncompleteBody' }
  const wrong = CHECKSUM_FIELDS.some((name) =>
    [field(request, name), trailers.get(name)].some(
      (sum) => sum !== undefined && !isChecksum(name, sum, body),
    ),
  )
  return wrong ? { problem: 'BadDigest' } : body
}

function send(
  message: IncomingMessage,
  response: ServerResponse,
  requestId: string,
  outcome: Answer | Problem,
): void {
  const { status, headers, body } = isProblem(outcome) ? toAnswer(outcome) : outcome
  const bare = status === 204 || status === 304 // which have no length at all, RFC 9110, 8.6
  const length = bare ? {} : { 'content-length': `${Buffer.byteLength(body ?? '')}` }
  // the unread body of a refused request would be parsed as the next request
  const close = isProblem(outcome) && !message.complete ? { connection: 'close' } : {}
  response.writeHead(status, { 'x-amz-request-id': requestId, ...length, ...headers, ...close })
  response.end(message.method === 'HEAD' ? undefined : body)
}

function toAnswer(problem: Problem): Answer {
  const { status, xml } = describe(problem)
  return { status, headers: { 'content-type': 'application/xml' }, body: xml }
}
