import { ApiError } from '@palanquin/service/http/api-error'
import { Elysia } from 'elysia'
import type { Answer } from './answer.ts'
import { type Steps, walk } from './middleware/checks.ts'
import type { Edge, Outcome } from './middleware/respond.ts'
import { type Params, paramsCheck, pathFinder, routerPath } from './paths.ts'
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

/** The rows of one path, by method. */
type Rows = Map<string, { row: Route; check: ReturnType<typeof paramsCheck> }>

const noPath = new ApiError('notFound', 'There is nothing at this path.')
const badHost = new ApiError('invalid', 'Host: expected one of the names of this service', {
  connection: 'close',
})
const wrongMethod = (methods: readonly string[]) =>
  new ApiError('methodNotAllowed', `Please use ${methods.join(', ')} here.`, { allow: methods.join(', ') })
const nextTurn = () => new Promise<undefined>((resolve) => setImmediate(resolve, undefined))
const OWN_METHODS = ['GET', 'HEAD', 'OPTIONS']

/**
 * The gateway without its sockets: Elysia routes by the table, and what it routes to walks through the pipeline.
 * `paths` are to be the server's own routes, each leading to its `handlerOf`, and `elsewhere` its answer to every other path:
 * Bun matches them against the path as it was sent, before `%2e%2e`, `/../` and the like are resolved in
 * `request.url` (measured), so that no other spelling reaches a row.
 */
export function createGateway({ prefix, routes, own, edge, steps, hostIsOurs }: GatewayParts) {
  const app = new Elysia({ strictPath: true })
  const finder = pathFinder(prefix, routes)
  const ownAt = new Map(own.map((route) => [route.path, route]))
  const peerOf = (request: Request): string => app.server?.requestIP(request)?.address ?? ''

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
  /**
   * What the gateway says itself counts as a public read of the address. The answer is made while Redis counts: should that
   * stall, `/health` has no time to wait for it. Whom this process alone can refuse it refuses before.
   */
  const countedAsRead = async (request: Request, answer: () => OwnAnswer): Promise<Outcome> => {
    const secured = steps.transport(request.headers, () => peerOf(request))
    const address = secured instanceof ApiError ? peerOf(request) : secured.client()
    const client = () => address
    const counting = steps.limits.read(address)
    const refused = await Promise.race([counting, nextTurn()])
    if (refused instanceof ApiError) return { result: refused, client }
    const [limited, result] = await Promise.all([counting, answer()])
    return limited instanceof ApiError
      ? { result: limited, client }
      : { result, limits: limited.headers, client }
  }
  const callOwn = (request: Request, { path, answer }: OwnRoute): Promise<Response> =>
    edge.answer(request, path, () => {
      const secured = steps.transport(request.headers, () => peerOf(request))
      return secured instanceof ApiError ? { result: secured } : countedAsRead(request, () => answer(request))
    })
  const refuse = (request: Request, result: ApiError) => edge.answer(request, 'none', () => ({ result }))
  const refuseCounted = (request: Request, result: ApiError) =>
    edge.answer(request, 'none', () => countedAsRead(request, () => result))

  /** What comes before any routing; undefined lets the request go on. */
  const first = (request: Request): Promise<Response> | undefined => {
    if (!hostIsOurs(request.headers)) return refuse(request, badHost)
    return request.method === 'OPTIONS' ? edge.preflight(request) : undefined
  }
  /** Elysia's own HEAD reads the whole body to measure it. */
  const route = (request: Request): Promise<Response> | Response =>
    request.method === 'HEAD' ? leftOver(request) : app.fetch(request)
  /**
   * Where one path is one row, or a crowd asks for it, there is nothing to route: Bun has matched the path and decoded its
   * parameters, and a method is a word.
   */
  const plain = new Map<string, Rows>()
  for (const row of routes) {
    if (row.path.includes('{') && row.batch === undefined) continue
    const path = routerPath(prefix, row.path)
    const rows = plain.get(path) ?? new Map()
    plain.set(path, rows.set(row.method, { row, check: paramsCheck(row) }))
  }
  const handlerOf = (path: string) => {
    const rows = plain.get(path)
    if (!rows) return (request: Request) => first(request) ?? route(request)
    return (request: Bun.BunRequest) => {
      const found = rows.get(request.method)
      return (
        first(request) ?? (found ? call(request, found.row, found.check(request.params)) : route(request))
      )
    }
  }
  /** What the router has no row for: HEAD, another method, another path. */
  const leftOver = (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url)
    const ownRoute = ownAt.get(pathname)
    if (ownRoute)
      return request.method === 'HEAD'
        ? callOwn(request, ownRoute)
        : refuseCounted(request, wrongMethod(OWN_METHODS))
    const found = request.method === 'HEAD' ? finder.find('GET', pathname) : undefined
    if (found) return call(request, found.route, found.params)
    const methods = finder.methodsAt(pathname)
    return refuseCounted(request, methods.length === 0 ? noPath : wrongMethod(methods))
  }

  for (const route of own) app.get(route.path, ({ request }) => callOwn(request, route), { parse: 'none' })
  for (const route of routes) {
    const check = paramsCheck(route)
    app.route(
      route.method,
      routerPath(prefix, route.path),
      ({ request, params }) => call(request, route, check(params)),
      { parse: 'none' },
    )
  }
  app.onError(({ code, error, request }) =>
    code === 'NOT_FOUND'
      ? leftOver(request)
      : edge.answer(request, 'none', () => {
          throw error
        }),
  )

  return {
    app,
    paths: [...new Set([...ownAt.keys(), ...routes.map(({ path }) => routerPath(prefix, path))])],
    handlerOf,
    elsewhere: (request: Request): Promise<Response> => first(request) ?? refuseCounted(request, noPath),
  }
}

export type Gateway = ReturnType<typeof createGateway>
