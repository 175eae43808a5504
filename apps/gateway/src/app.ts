import { ApiError } from '@palanquin/service/http/api-error'
import { countedAs } from '@palanquin/service/http/client-address'
import { Elysia } from 'elysia'
import { fastPath } from './fast-path/fast-path.ts'
import type { LocalResponse, LocalRoute } from './local-route.ts'
import type { Checks } from './middleware/check.ts'
import { runChecks } from './middleware/checks.ts'
import type { RequestOutcome, Responder } from './middleware/respond.ts'
import { allowedMethods, type Endpoints, endpointsByPath, type Params } from './paths.ts'
import { type Found, PHONE_APP_PATHS, type PhoneAppPath, slashedPath } from './phone-apps/paths.ts'
import type { PhoneAppService } from './phone-apps/serve.ts'
import { prebuiltAnswers } from './prebuilt/answers.ts'
import type { BatchOf } from './proxy/forward.ts'
import type { PlainResponse } from './response.ts'
import type { Route } from './route.ts'

export type AppParts = {
  prefix: string
  routes: readonly Route[]
  local: readonly LocalRoute[]
  /** The page for a path without content, for clients that want one. */
  notFoundPage?: (request: Request) => Promise<PlainResponse> | null
  responder: Responder
  checks: Checks
  phoneApps: Pick<PhoneAppService, 'respond'>
  batchOf: BatchOf
  isKnownHost: (headers: Headers) => boolean
}

/** OPTIONS is answered on any path, before routing. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
const LOCAL_METHODS = ['GET', 'HEAD', 'OPTIONS']
const APP_METHODS = ['GET', 'POST', 'OPTIONS']
/** Bodies are read by the checks, which count them. */
const UNPARSED = { parse: 'none' } as const

const notFound = new ApiError('notFound', 'There is nothing at this path.')
const unknownHost = new ApiError('invalid', 'Host: expected one of the names of this service', {
  connection: 'close',
})
const wrongMethod = (methods: readonly string[]) =>
  new ApiError('methodNotAllowed', `Please use ${methods.join(', ')} here.`, { allow: methods.join(', ') })

/**
 * Elysia registers its routes with Bun's server, which matches the path as it was sent and sets `params` on the request.
 * What Bun does not match Elysia matches by `request.url`, in which `%2e%2e` and `/../` are resolved (measured): no other
 * spelling may reach a route, so such a request is refused (ADR 0014).
 */
const isMatchedAsSent = (request: Request): boolean => 'params' in request

/** The gateway without its sockets: every path and method of the table, and the paths that it serves itself. */
export function createApp({
  prefix,
  routes,
  local,
  notFoundPage = () => null,
  responder,
  checks,
  phoneApps,
  batchOf,
  isKnownHost,
}: AppParts) {
  const app = new Elysia({ strictPath: true })
  const peerOf = (request: Request): string => app.server?.requestIP(request)?.address ?? ''

  /**
   * What the gateway serves itself counts as a public read of the address; where that has no place left, whoever has proven
   * themselves is counted by that.
   */
  const countRead = async (request: Request, address: string, limit: LocalRoute['limit']) => {
    const take = limit === 'pages' ? checks.limits.page : checks.limits.read
    const counted = await take(countedAs(address))
    if (!(counted instanceof ApiError)) return counted
    const caller = await checks.recognise.surely(request.headers, () => address)
    return caller ? take(caller.countedAs) : counted
  }
  /** The response is made while Redis counts, so that `/health` does not wait for a stalled Redis. */
  const countedAsRead = async (
    request: Request,
    respond: () => LocalResponse,
    limit?: LocalRoute['limit'],
  ): Promise<RequestOutcome> => {
    const secured = checks.checkHttps(request.headers, () => peerOf(request))
    const address = secured instanceof ApiError ? peerOf(request) : secured.client()
    const client = () => address
    const [limited, result] = await Promise.all([countRead(request, address, limit), respond()])
    return limited instanceof ApiError
      ? { result: limited, client }
      : { result, limits: limited.headers, client }
  }
  const refuse = (request: Request, result: ApiError) =>
    responder.respond(request, 'none', () => ({ result }))
  const nothingAt = (request: Request): LocalResponse => notFoundPage(request) ?? notFound
  const refuseCounted = (request: Request, result: ApiError) =>
    responder.respond(request, 'none', () => countedAsRead(request, () => result))

  const proxy = async (request: Request, route: Route, params: Params | undefined): Promise<Response> => {
    const response = await responder.respond(request, route.path, (requestId) =>
      params
        ? runChecks(checks, { route, params, request, requestId, peer: () => peerOf(request) })
        : countedAsRead(request, () => nothingAt(request)),
    )
    // An event stream without events is no idle connection.
    if (route.stream && response.status === 200) app.server?.timeout?.(request, 0)
    return response
  }
  const fromMemory = prebuiltAnswers({ checks, responder, peerOf })
  const inBatches = fastPath({ checks, responder, batchOf })
  const atOnce = (request: Request, route: Route, params: Params): Promise<Response> | undefined =>
    fromMemory.read(request, { route, params }, () => proxy(request, route, params)) ??
    inBatches(request, {
      route,
      params,
      peer: () => peerOf(request),
      decide: (requestId, known) =>
        runChecks(checks, { route, params, request, requestId, peer: () => peerOf(request), ...known }),
    })
  const serve = (request: Request, route: Route, params: Params | undefined): Promise<Response> =>
    (params && atOnce(request, route, params)) ?? proxy(request, route, params)
  const serveLocally = (request: Request, route: LocalRoute): Promise<Response> => {
    const respond = () =>
      responder.respond(request, route.path, () => {
        const secured = checks.checkHttps(request.headers, () => peerOf(request))
        return secured instanceof ApiError
          ? { result: secured }
          : countedAsRead(request, () => route.respond(request), route.limit)
      })
    return fromMemory.page(request, route, respond) ?? respond()
  }
  const refuseMethod = (request: Request, endpoints: Endpoints, params: Record<string, string> = {}) => {
    const methods = allowedMethods(endpoints, params)
    return refuseCounted(request, methods.length === 0 ? notFound : wrongMethod(methods))
  }

  const serveApp = (request: Request, path: PhoneAppPath, params: Found = {}) => {
    const target = path.target(params)
    if (!target)
      return responder.respond(request, 'none', () => countedAsRead(request, () => nothingAt(request)))
    return responder.respond(request, path.route, async (requestId) => ({
      result: await phoneApps.respond({ request, target, requestId, peer: () => peerOf(request) }),
    }))
  }
  app.onRequest(({ request }) => {
    if (!isKnownHost(request.headers)) return refuse(request, unknownHost)
    if (request.method === 'OPTIONS') return responder.preflight(request)
    if (isMatchedAsSent(request)) return undefined
    const slashed = slashedPath(request.url)
    const isTaken = request.method === 'GET' || request.method === 'POST'
    return slashed && isTaken
      ? serveApp(request, slashed.path, slashed.params)
      : responder.respond(request, 'none', () => countedAsRead(request, () => nothingAt(request)))
  })
  app.onError(({ error, request }) =>
    responder.respond(request, 'none', () => {
      throw error
    }),
  )
  const endpointsAt = endpointsByPath(prefix, routes)
  const localAt = new Map(local.map((route) => [route.path, route]))
  for (const route of local)
    for (const method of METHODS) {
      if (endpointsAt.has(route.path)) continue
      app.route(
        method,
        route.path,
        method === 'GET' || method === 'HEAD'
          ? ({ request }) => serveLocally(request, route)
          : ({ request }) => refuseCounted(request, wrongMethod(LOCAL_METHODS)),
        UNPARSED,
      )
    }
  for (const path of PHONE_APP_PATHS)
    for (const method of METHODS)
      app.route(
        method,
        path.pattern,
        method === 'GET' || method === 'POST'
          ? ({ request, params }) => serveApp(request, path, params)
          : ({ request }) => refuseCounted(request, wrongMethod(APP_METHODS)),
        UNPARSED,
      )
  for (const [path, endpoints] of endpointsAt) {
    // A page at the path of a picture, without its `.png`.
    const page = localAt.get(path)
    for (const method of METHODS) {
      const endpoint = endpoints.get(method === 'HEAD' ? 'GET' : method)
      app.route(
        method,
        path,
        endpoint
          ? ({ request, params }) => {
              const found = endpoint.paramsOf(params ?? {})
              return page && !found ? serveLocally(request, page) : serve(request, endpoint.route, found)
            }
          : ({ request, params }) => refuseMethod(request, endpoints, params),
        UNPARSED,
      )
    }
  }
  return app
}

export type App = ReturnType<typeof createApp>
