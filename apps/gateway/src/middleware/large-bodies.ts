import { ApiError } from '@palanquin/service/http/api-error'
import type { Route } from '../route.ts'
import { BODY_BYTES_MAX, type RefusedBody } from './body-limit.ts'

/** At most so many places for bodies above the usual limit at a time: of 10 MiB each, that is what memory allows. */
const LARGE_BODIES_MAX = 32
const PLACE_BYTES = 10_485_760
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

  /** Takes the places that the body of a request of this route needs, to be given back at its end; an error where they are not free. */
  take(request: Request, { bodyBytesMax }: Pick<Route, 'bodyBytesMax'>): (() => void) | RefusedBody {
    if (bodyBytesMax <= BODY_BYTES_MAX) return () => {}
    const places = placesFor(request, bodyBytesMax)
    if (this.#held + places > this.#max) return { apiError: busy, rest: request.body?.getReader() }
    this.#held += places
    return () => {
      this.#held -= places
    }
  }
}

/** By what is announced, up to the limit of the route; without an announcement, that limit. */
function placesFor({ headers }: Request, bytesMax: number): number {
  const announced = Number(headers.get('content-length') ?? bytesMax)
  return Math.max(
    1,
    Math.ceil(Math.min(Number.isFinite(announced) ? announced : bytesMax, bytesMax) / PLACE_BYTES),
  )
}
