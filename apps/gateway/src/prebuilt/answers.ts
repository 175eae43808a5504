import { ApiError } from '@palanquin/service/http/api-error'
import { countedAs } from '@palanquin/service/http/client-address'
import type { LocalRoute } from '../local-route.ts'
import type { Checks } from '../middleware/check.ts'
import { readContent } from '../middleware/content.ts'
import type { Responder } from '../middleware/respond.ts'
import type { Params } from '../paths.ts'
import { SMALL_BYTES_MAX } from '../readers/readers.ts'
import type { Route } from '../route.ts'
import type { PrebuiltResponse } from './prebuilt-response.ts'

const NO_BYTES = new ArrayBuffer(0)

type Read = {
  route: string
  response: PrebuiltResponse | undefined
  otherwise: () => Promise<Response>
}

/**
 * Answers GETs whose response is in memory, complete and small: pages, their assets, and public reads. Only what needs no
 * decision is answered here. Undefined where anything is unusual: then the checks decide, as they do (`otherwise`) where an
 * address has no place left.
 */
export function prebuiltAnswers({
  checks,
  responder,
  peerOf,
}: {
  checks: Pick<Checks, 'checkHttps' | 'limits' | 'prebuiltRead'>
  responder: Responder
  peerOf: (request: Request) => string
}) {
  const answer = (request: Request, { route, response, otherwise }: Read): Promise<Response> | undefined => {
    if (response === undefined || request.method !== 'GET') return undefined
    // Larger ones are watched while clients read them.
    if (response.body !== null && response.body.size > SMALL_BYTES_MAX) return undefined
    const secured = checks.checkHttps(request.headers, () => peerOf(request))
    if (secured instanceof ApiError) return undefined
    const placing = checks.limits.tryPage(countedAs(secured.client()))
    return placing.then(
      (hasPlace) => (hasPlace && responder.respondPrebuilt(request, route, response)) || otherwise(),
    )
  }
  return {
    page: (
      request: Request,
      { path, prebuilt }: LocalRoute,
      otherwise: Read['otherwise'],
    ): Promise<Response> | undefined =>
      answer(request, { route: path, response: prebuilt?.(request), otherwise }),
    read: (
      request: Request,
      { route, params }: { route: Route; params: Params },
      otherwise: Read['otherwise'],
    ): Promise<Response> | undefined => {
      if (route.freshMs === undefined) return undefined
      const content = readContent(route, request, NO_BYTES)
      if (content instanceof ApiError) return undefined
      const read = { route, params, query: content.query }
      const response = checks.prebuiltRead(request.headers, read)
      return answer(request, { route: route.path, response, otherwise })
    },
  }
}
