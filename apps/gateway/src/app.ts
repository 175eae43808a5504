import { ApiError } from '@palanquin/service/http/api-error'
import { Elysia } from 'elysia'
import type { PlainResponse } from './answer.ts'
import { type Checks, runChecks } from './middleware/checks.ts'
import type { RequestOutcome, Responder } from './middleware/respond.ts'
import { allowedMethods, type Endpoint, type Endpoints, endpointsByPath, type Params } from './paths.ts'
import type { Route } from './route.ts'

/** A path that the gateway answers itself, such as `/health`; GET and HEAD. */
export type LocalRoute = { path: string; answer: (request: Request) => LocalResponse }
type LocalResponse = Promise<PlainResponse | ApiError> | PlainResponse | ApiError

export type AppParts = {
  prefix: string
  routes: readonly Route[]
  local: readonly LocalRoute[]
  edge: Responder
  checks: Checks
  isKnownHost: (headers: Headers) => boolean
}

/** OPTIONS is answered on any path, before there is a route. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
const LOCAL_METHODS = ['GET', 'HEAD', 'OPTIONS']

const notFound = new ApiError('notFound', 'There is nothing at this path.')
const unknownHost = new ApiError('invalid', 'Host: expected one of the names of this service', {
  connection: 'close',
})
const wrongMethod = (methods: readonly string[]) =>
  new ApiError('methodNotAllowed', `Please use ${methods.join(', ')} here.`, { allow: methods.join(', ') })
const nextTick = () => new Promise<undefined>((resolve) => setImmediate(resolve, undefined))

/**
 * Bun's router matches the path as it was sent, and gives what it matched parameters; `request.url`, which Elysia matches
 * otherwise, has `%2e%2e`, `/../` and the like resolved (measured), and another spelling must not reach a row.
 */
const isMatchedAsSent = (request: Request): boolean => 'params' in request

/** The gateway without its sockets: every path and method of the table, and those that it answers itself. */
export function createApp({ prefix, routes, local, edge, checks, isKnownHost }: AppParts) {
  const app = new Elysia({ strictPath: true })
  const peerOf = (request: Request): string => app.server?.requestIP(request)?.address ?? ''

  /**
   * What the gateway says itself counts as a public read of the address. The answer is made while Redis counts: should that
   * stall, `/health` has no time to wait for it. Whom this process alone can refuse it refuses before.
   */
  const countedAsRead = async (request: Request, answer: () => LocalResponse): Promise<RequestOutcome> => {
    const secured = checks.checkHttps(request.headers, () => peerOf(request))
    const address = secured instanceof ApiError ? peerOf(request) : secured.client()
    const client = () => address
    const counting = checks.limits.read(address)
    const refused = await Promise.race([counting, nextTick()])
    if (refused instanceof ApiError) return { result: refused, client }
    const [limited, result] = await Promise.all([counting, answer()])
    return limited instanceof ApiError
      ? { result: limited, client }
      : { result, limits: limited.headers, client }
  }
  const refuse = (request: Request, result: ApiError) => edge.answer(request, 'none', () => ({ result }))
  const refuseCounted = (request: Request, result: ApiError) =>
    edge.answer(request, 'none', () => countedAsRead(request, () => result))

  const proxyRoute = async (
    request: Request,
    route: Route,
    params: Params | undefined,
  ): Promise<Response> => {
    const answer = await edge.answer(request, route.path, (requestId) =>
      params
        ? runChecks(checks, { route, params, request, requestId, peer: () => peerOf(request) })
        : countedAsRead(request, () => notFound),
    )
    // A stream with nothing to say is no idle connection.
    if (route.stream && answer.status === 200) app.server?.timeout?.(request, 0)
    return answer
  }
  const respondLocally = (request: Request, { path, answer }: LocalRoute): Promise<Response> =>
    edge.answer(request, path, () => {
      const secured = checks.checkHttps(request.headers, () => peerOf(request))
      return secured instanceof ApiError ? { result: secured } : countedAsRead(request, () => answer(request))
    })
  const refuseMethod = (request: Request, endpoints: Endpoints, params: Record<string, string> = {}) => {
    const methods = allowedMethods(endpoints, params)
    return refuseCounted(request, methods.length === 0 ? notFound : wrongMethod(methods))
  }

  app.onRequest(({ request }) => {
    if (!isKnownHost(request.headers)) return refuse(request, unknownHost)
    if (request.method === 'OPTIONS') return edge.preflight(request)
    return isMatchedAsSent(request) ? undefined : refuseCounted(request, notFound)
  })
  app.onError(({ error, request }) =>
    edge.answer(request, 'none', () => {
      throw error
    }),
  )
  for (const route of local)
    for (const method of METHODS)
      app.route(
        method,
        route.path,
        method === 'GET' || method === 'HEAD'
          ? ({ request }) => respondLocally(request, route)
          : ({ request }) => refuseCounted(request, wrongMethod(LOCAL_METHODS)),
        { parse: 'none' },
      )
  for (const [path, endpoints] of endpointsByPath(prefix, routes))
    for (const method of METHODS) {
      const endpoint: Endpoint | undefined = endpoints.get(method === 'HEAD' ? 'GET' : method)
      app.route(
        method,
        path,
        endpoint
          ? ({ request, params }) => proxyRoute(request, endpoint.route, endpoint.paramsOf(params ?? {}))
          : ({ request, params }) => refuseMethod(request, endpoints, params),
        { parse: 'none' },
      )
    }
  return app
}

export type App = ReturnType<typeof createApp>
