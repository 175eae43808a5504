import type { Address } from './address.ts'
import type { Exchange } from './exchange/exchange.ts'
import type { Relayed } from './relay.ts'
import type { WholeBodies } from './whole-bodies.ts'

/** What is sent to a service; `target` is built from the route table and begins with `/`. */
export type Call = {
  method: string
  target: string
  headers: Record<string, string>
  body: ArrayBuffer | string | undefined
}

/**
 * - `unopened`: no connection came about, the service never saw the call.
 * - `broken`: it may have.
 * - `late`: no answer in time.
 */
export type Failure = 'unopened' | 'broken' | 'late'
export type Reply = {
  status: number
  headers: Headers
  /** Whole, or as it comes when it is large or of unknown length. */
  body: ArrayBuffer | ReadableStream<Uint8Array<ArrayBuffer>>
  /** How the client reads a body that is passed on as it comes. */
  relayed?: Relayed
  /** The copy closes its connections: it is about to stop. */
  leaving: boolean
  /** Ends a body that is still coming. */
  abort: () => void
}

/** A body of a known length up to this is read whole before the response, so that a break in it is a 502. */
const WHOLE_BYTES_MAX = 1_048_576
const NO_BODY = new ArrayBuffer(0)
/** Error codes of Bun's fetch for a connection that never came about (measured). */
const UNOPENED_CODES = new Set([
  'ENOENT',
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'EACCES',
])

/**
 * One call of one copy through `fetch`, with a deadline up to the end of the reply (of a stream: up to its headers). Redirects are not
 * followed, and bodies stay compressed.
 */
export async function attempt(
  { origin, init }: Address,
  { method, target, headers, body }: Call,
  {
    deadlineMs,
    wholeBodies,
    stream = false,
    wholeBytesMax = WHOLE_BYTES_MAX,
  }: { deadlineMs: number; wholeBodies: WholeBodies; stream?: boolean; wholeBytesMax?: number | undefined },
): Promise<Reply | Failure> {
  const abort = new AbortController()
  const timer = setTimeout(() => abort.abort(), Math.max(0, deadlineMs))
  try {
    const response = await fetch(origin + target, {
      ...init,
      method,
      headers,
      ...(body === undefined ? {} : { body }),
      signal: abort.signal,
      redirect: 'manual',
      decompress: false,
      // Bun gives up after minutes of silence, and an event stream may be silent for longer.
      ...(stream ? { timeout: false } : {}),
    })
    const whole = stream ? undefined : await wholeBodies.read(response, wholeBytesMax)
    return {
      status: response.status,
      headers: response.headers,
      body: whole ?? response.body ?? NO_BODY,
      leaving: response.headers.get('connection') === 'close',
      abort: () => abort.abort(),
    }
  } catch (error) {
    if (abort.signal.aborted) return 'late'
    return UNOPENED_CODES.has(codeOf(error)) ? 'unopened' : 'broken'
  } finally {
    clearTimeout(timer)
  }
}

/** The same of a small call, whose body is a text and whose reply says its length. */
export async function attemptSmall(
  exchange: Exchange,
  { method, target, headers, body = '' }: Call,
  { deadlineMs }: { deadlineMs: number },
): Promise<Reply | Failure> {
  if (typeof body !== 'string') throw new TypeError('the body of a small call is a text')
  const reply = await exchange.send({ method, target, headers, body }, { deadlineMs })
  if (typeof reply === 'string') return reply
  const { status, headers: said, body: bytes, closes } = reply
  return { status, headers: said, body: bytes, leaving: closes, abort: () => {} }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
