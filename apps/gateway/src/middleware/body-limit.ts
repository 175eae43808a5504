import { ApiError } from '@palanquin/service/http/api-error'
import { BodyDeadlines } from './body-deadlines.ts'

/** Specification section 8: any POST body. */
export const BODY_BYTES_MAX = 102_400
/** A phone on a poor network sends 100 KB in this time. */
const BODY_DEADLINE_MS = 10_000
/** How long a large body may take, and how slow it may be after its first seconds: it holds a place that others wait for. */
const LARGE_BODY = { deadlineMs: 120_000, bytesPerSMin: 8_192 }
const SLOW_MS_MAX = 10_000
const LOOK_EVERY_MS = 1_000
/** Each chunk costs 2.4 µs whatever it holds (measured): so many, and one more for each KiB. */
const CHUNKS_MAX = 500
const BYTES_PER_CHUNK_MIN = 1_024
/** Bun discards an announced body up to this by itself, so that the connection stays open. */
const DRAINED_BY_BUN_BYTES_MAX = 1_048_576

/** Reads what is left of a body: the part of Bun's reader that is used here. */
export type BodyReader = {
  read: () => Promise<{ done: boolean; value?: Uint8Array<ArrayBuffer> | undefined }>
  cancel: () => Promise<void>
}
/** `rest`: what the client may still be sending after an error. */
export type RefusedBody = { apiError: ApiError; rest?: BodyReader | undefined }
export type Body = { bytes: ArrayBuffer } | RefusedBody

const EMPTY = new ArrayBuffer(0)
const CLOSE = { connection: 'close' }
const tooLarge = (bytesMax: number, headers = {}) =>
  new ApiError('tooLarge', `The body is larger than ${bytesMax.toLocaleString('en')} bytes.`, headers)
const late = (seconds: number) =>
  new ApiError('invalid', `The body did not arrive within ${seconds} seconds.`, CLOSE)
const chopped = new ApiError(
  'invalid',
  'The body comes in too many small chunks. Please send it whole, with its Content-Length.',
  CLOSE,
)
const incomplete = new ApiError('invalid', 'The body broke off.', CLOSE)

/**
 * Reads a request body of at most `bytesMax`, announced or in chunks, once, as bytes. Reading stops at the limit.
 * Never throws: a body that is too large, too slow, chopped up or incomplete is an error.
 */
export async function readBody(
  request: Request,
  {
    bytesMax = BODY_BYTES_MAX,
    deadlineMs = BODY_DEADLINE_MS,
    bytesPerSMin = 0,
  }: { bytesMax?: number; deadlineMs?: number; bytesPerSMin?: number } = {},
): Promise<Body> {
  const invalid = announcedError(request, bytesMax)
  if (invalid) return invalid
  const { headers } = request
  const isChunked = headers.get('content-length') === null
  if (isChunked ? !headers.has('transfer-encoding') : Number(headers.get('content-length')) === 0)
    return { bytes: EMPTY }
  return isChunked || bytesPerSMin > 0
    ? readChunks(request, { bytesMax, deadlineMs, bytesPerSMin })
    : readWhole(request, deadlineMs)
}

/** Reads a body above the usual limit: it has longer to arrive, but must not stand still. */
export const readLargeBody = (request: Request, bytesMax: number): Promise<Body> =>
  readBody(request, { bytesMax, ...LARGE_BODY })

/** The error of a body that is announced as too large, or not as a number. */
export function announcedError(request: Request, bytesMax: number): RefusedBody | undefined {
  const announced = request.headers.get('content-length')
  if (announced === null) return undefined
  // Two Content-Length headers arrive joined by a comma; Bun refuses every other malformed one.
  if (!/^\d+$/.test(announced))
    return { apiError: new ApiError('invalid', 'Content-Length: expected one whole number', CLOSE) }
  const length = Number(announced)
  if (length <= bytesMax) return undefined
  return length > DRAINED_BY_BUN_BYTES_MAX
    ? { apiError: tooLarge(bytesMax, CLOSE), rest: readerOf(request) }
    : { apiError: tooLarge(bytesMax) }
}

/** Whether a body comes in so small chunks that it is not worth reading on. */
export const isChopped = ({ chunks, bytes }: { chunks: number; bytes: number }): boolean =>
  chunks > CHUNKS_MAX + bytes / BYTES_PER_CHUNK_MIN

const readerOf = (request: Request): BodyReader | undefined => request.body?.getReader()

const deadlines = new BodyDeadlines()

function readWhole(request: Request, deadlineMs: number): Promise<Body> {
  return new Promise((resolve) => {
    const cancel = deadlines.begin(deadlineMs, () => resolve({ apiError: late(deadlineMs / 1_000) }))
    const settle = (body: Body) => {
      cancel()
      resolve(body)
    }
    request.arrayBuffer().then(
      (bytes) => settle({ bytes }),
      () => settle({ apiError: incomplete }),
    )
  })
}

async function readChunks(
  request: Request,
  { bytesMax, deadlineMs, bytesPerSMin }: { bytesMax: number; deadlineMs: number; bytesPerSMin: number },
): Promise<Body> {
  const reader = readerOf(request)
  if (!reader) return { bytes: EMPTY }
  let expired = false
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  const startedMs = performance.now()
  const timer = setInterval(
    () => {
      const tookMs = performance.now() - startedMs
      if (tookMs < deadlineMs && size >= ((tookMs - SLOW_MS_MAX) / 1_000) * bytesPerSMin) return
      expired = true
      reader.cancel().catch(() => {}) // ends the pending read; the response closes the connection
    },
    Math.min(deadlineMs, LOOK_EVERY_MS),
  )
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (expired) return { apiError: late(deadlineMs / 1_000) }
      if (done || !value) return { bytes: await new Blob(chunks).arrayBuffer() }
      size += value.byteLength
      if (size > bytesMax) return { apiError: tooLarge(bytesMax, CLOSE), rest: reader }
      chunks.push(value)
      if (isChopped({ chunks: chunks.length, bytes: size })) {
        reader.cancel().catch(() => {}) // what is left costs as much to discard as to read
        return { apiError: chopped }
      }
    }
  } catch {
    return { apiError: expired ? late(deadlineMs / 1_000) : incomplete }
  } finally {
    clearInterval(timer)
  }
}
