import { REQUEST_ID_HEADER } from '@palanquin/service/http/headers'
import { type CorsHeaders, headersOf, type PlainResponse } from '../response.ts'

/** Its bytes are in memory once for all of its clients. */
type Shared = { status: number; headers: Record<string, string>; body: Blob | null }

/**
 * A response that many requests get: besides its bytes, its headers are put together once, for each form in which CORS
 * answers. A request adds its id.
 */
export class PrebuiltResponse implements PlainResponse {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: Blob | null
  readonly #complete = new Map<CorsHeaders, Headers>()

  constructor({ status, headers, body }: Shared) {
    this.status = status
    this.headers = headers
    this.body = body
  }

  toResponse(cors: CorsHeaders, requestId: string): Response {
    const headers = this.#complete.get(cors) ?? this.#put(cors)
    const response = new Response(this.body, { status: this.status, headers })
    response.headers.set(REQUEST_ID_HEADER, requestId)
    return response
  }

  #put(cors: CorsHeaders): Headers {
    const headers = headersOf(this, cors)
    this.#complete.set(cors, headers)
    return headers
  }
}
