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

/**
 * Answers GETs whose response is in memory, complete and small, at once: pages, their assets, and public reads. Only what
 * needs no decision is answered here. Undefined where anything is unusual: then the checks decide, and say why not.
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
  const answer = (
    request: Request,
    route: string,
    response: PrebuiltResponse | undefined,
  ): Response | undefined => {
    if (response === undefined || request.method !== 'GET') return undefined
    // Larger ones are watched while clients read them.
    if (response.body !== null && response.body.size > SMALL_BYTES_MAX) return undefined
    const secured = checks.checkHttps(request.headers, () => peerOf(request))
    if (secured instanceof ApiError || !checks.limits.pageNow(countedAs(secured.client()))) return undefined
    return responder.respondPrebuilt(request, route, response)
  }
  return {
    page: (request: Request, { path, prebuilt }: LocalRoute): Response | undefined =>
      answer(request, path, prebuilt?.(request)),
    read: (request: Request, route: Route, params: Params): Response | undefined => {
      if (route.freshMs === undefined) return undefined
      const content = readContent(route, request, NO_BYTES)
      if (content instanceof ApiError) return undefined
      const read = { route, params, query: content.query }
      return answer(request, route.path, checks.prebuiltRead(request.headers, read))
    },
  }
}
