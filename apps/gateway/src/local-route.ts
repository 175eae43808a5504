import type { ApiError } from '@palanquin/service/http/api-error'
import type { PrebuiltResponse } from './prebuilt/prebuilt-response.ts'
import type { PlainResponse } from './response.ts'

/** A path that the gateway serves itself, such as `/health`; GET and HEAD. */
export type LocalRoute = {
  path: string
  respond: (request: Request) => LocalResponse
  /** Which limit of the address counts it; left out, that of public reads. */
  limit?: 'pages'
  /** The response, where it is in memory; only with `limit: 'pages'`. */
  prebuilt?: (request: Request) => PrebuiltResponse | undefined
}
export type LocalResponse = Promise<PlainResponse | ApiError> | PlainResponse | ApiError
