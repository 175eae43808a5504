import { ApiError } from '@palanquin/service/http/api-error'
import { Elysia } from 'elysia'
import type { Answer } from './answer.ts'
import { type Steps, walk } from './middleware/checks.ts'
import type { Edge, Outcome } from './middleware/respond.ts'
import { allowedMethods, type Endpoint, type Endpoints, endpointsByPath, type Params } from './paths.ts'
import type { Route } from './route.ts'

/** A path that the gateway answers itself, such as `/health`; GET and HEAD. */
export type OwnRoute = { path: string; answer: (request: Request) => OwnAnswer }
type OwnAnswer = Promise<Answer | ApiError> | Answer | ApiError

export type GatewayParts = {
  prefix: string
  routes: readonly Route[]
  own: readonly OwnRoute[]
  edge: Edge
  steps: Steps
  hostIsOurs: (headers: Headers) => boolean
}

/** OPTIONS is answered on any path, before there is a route. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
const OWN_METHODS = ['GET', 'HEAD', 'OPTIONS']

const noPath = new ApiError('notFound', 'There is nothing at this path.')
const badHost = new ApiError('invalid', 'Host: expected one of the names of this service', {
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
export function createGateway({ prefix, routes, own, edge, steps, hostIsOurs }: GatewayParts) {
  const app = new Elysia({ strictPath: true })
  const peerOf = (request: Request): string => app.server?.requestIP(request)?.address ?? ''

  /**
   * What the gateway says itself counts as a public read of the address. The answer is made while Redis counts: should that
   * stall, `/health` has no time to wait for it. Whom this process alone can refuse it refuses before.
   */
  const countedAsRead = async (request: Request, answer: () => OwnAnswer): Promise<Outcome> => {
    const secured = steps.transport(request.headers, () => peerOf(request))
    const address = secured instanceof ApiError ? peerOf(request) : secured.client()
    const client = () => address
    const counting = steps.limits.read(address)
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

  const call = async (request: Request, route: Route, params: Params | undefined): Promise<Response> => {
    const answer = await edge.answer(request, route.path, (requestId) =>
      params
        ? walk(steps, { route, params, request, requestId, peer: () => peerOf(request) })
        : countedAsRead(request, () => noPath),
    )
    // A stream with nothing to say is no idle connection.
    if (route.stream && answer.status === 200) app.server?.timeout?.(request, 0)
    return answer
  }
  const callOwn = (request: Request, { path, answer }: OwnRoute): Promise<Response> =>
    edge.answer(request, path, () => {
      const secured = steps.transport(request.headers, () => peerOf(request))
      return secured instanceof ApiError ? { result: secured } : countedAsRead(request, () => answer(request))
    })
  const refuseMethod = (request: Request, endpoints: Endpoints, params: Record<string, string> = {}) => {
    const methods = allowedMethods(endpoints, params)
    return refuseCounted(request, methods.length === 0 ? noPath : wrongMethod(methods))
  }

  app.onRequest(({ request }) => {
    if (!hostIsOurs(request.headers)) return refuse(request, badHost)
    if (request.method === 'OPTIONS') return edge.preflight(request)
    return isMatchedAsSent(request) ? undefined : refuseCounted(request, noPath)
  })
  app.onError(({ error, request }) =>
    edge.answer(request, 'none', () => {
      throw error
    }),
  )
  for (const route of own)
    for (const method of METHODS)
      app.route(
        method,
        route.path,
        method === 'GET' || method === 'HEAD'
          ? ({ request }) => callOwn(request, route)
          : ({ request }) => refuseCounted(request, wrongMethod(OWN_METHODS)),
        { parse: 'none' },
      )
  for (const [path, endpoints] of endpointsByPath(prefix, routes))
    for (const method of METHODS) {
      const endpoint: Endpoint | undefined = endpoints.get(method === 'HEAD' ? 'GET' : method)
      app.route(
        method,
        path,
        endpoint
          ? ({ request, params }) => call(request, endpoint.route, endpoint.paramsOf(params ?? {}))
          : ({ request, params }) => refuseMethod(request, endpoints, params),
        { parse: 'none' },
      )
    }
  return app
}

export type Gateway = ReturnType<typeof createGateway>
