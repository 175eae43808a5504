import { ApiError } from '@palanquin/service/http/api-error'
import type { Route } from '../route.ts'
import { BODY_BYTES_MAX, type RefusedBody } from './body-limit.ts'

/** At most so many requests with bodies above the usual limit at a time: of 10 MB each, that is what memory allows. */
const LARGE_BODIES_MAX = 32
/** A phone on a poor network sends a photo in this time. */
export const LARGE_BODY_DEADLINE_MS = 120_000

const busy = new ApiError('unavailable', 'Many people are uploading right now; please try again shortly.', {
  connection: 'close',
})

/** A bound on the requests whose large bodies are held in memory. */
export class LargeBodies {
  #held = 0
  readonly #max: number

  constructor(max = LARGE_BODIES_MAX) {
    this.#max = max
  }

  /** Takes a place for a request of this route, to be given back at its end; an error where there is none. */
  take(request: Request, { bodyBytesMax }: Pick<Route, 'bodyBytesMax'>): (() => void) | RefusedBody {
    if (bodyBytesMax <= BODY_BYTES_MAX) return () => {}
    if (this.#held >= this.#max) return { apiError: busy, rest: request.body?.getReader() }
    this.#held++
    return () => {
      this.#held--
    }
  }
}
