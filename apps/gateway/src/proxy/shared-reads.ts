import type { ApiError } from '@palanquin/service/http/api-error'
import type { PlainResponse } from '../answer.ts'

/** How long an answer is given again: a crowd that looks at the map asks for the same megabytes all the time. */
const AGAIN_MS = 100

type Result = PlainResponse | ApiError

/**
 * Answers that are the same for everybody, asked for once by all who ask at the same time. A failure is shared as well: what
 * is down is not asked by each of a crowd. What comes as a stream is for its first caller alone.
 */
export class SharedReads {
  readonly #known = new Map<string, Promise<Result>>()

  /** `ask` must not reject. */
  async read(key: string, ask: () => Promise<Result>): Promise<Result> {
    const known = this.#known.get(key)
    if (known) {
      const result = await known
      return isStream(result) ? ask() : result
    }
    const asked = ask().then(asBlob)
    this.#known.set(key, asked)
    const result = await asked
    const forget = () => void this.#known.delete(key)
    if ('body' in result && result.status === 200 && !isStream(result)) setTimeout(forget, AGAIN_MS)
    else forget()
    return result
  }
}

const isStream = (result: Result): boolean => 'body' in result && result.body instanceof ReadableStream

/** Bytes that many responses may be made of without a copy for each. */
const asBlob = (result: Result): Result =>
  'body' in result && result.body instanceof ArrayBuffer
    ? { ...result, body: new Blob([result.body]) }
    : result
