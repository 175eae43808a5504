import type { Method, Route } from './route.ts'

/** A path parameter, decoded once (security.md): ids, and names of images before their `.png`. */
const PARAMETER = /^[A-Za-z0-9_-]{1,64}$/
/** Of a file: behind a parameter, it belongs to the path. */
const ENDING = /\{(\w+)\}(\.(?:png|properties))?/g
/** In the place of the caller's own `userId`, which pages write into no address; no id can be this. */
export const OWN = '@me'

export type Params = Readonly<Record<string, string>>
type Found = Readonly<Record<string, string | undefined>>
/** A route as one path of the router reaches it; `paramsOf` is undefined for parameters that are not valid. */
export type Endpoint = { route: Route; paramsOf: (found: Found) => Params | undefined }
export type Endpoints = ReadonlyMap<Method, Endpoint>

/** The routes by the paths that the router matches, and by method. */
export function endpointsByPath(prefix: string, routes: readonly Route[]): Map<string, Endpoints> {
  const paths = new Set(routes.map((route) => routerPath(prefix, route)))
  return new Map([...paths].map((path) => [path, endpointsAt(path, { prefix, routes })]))
}

/** What Allow lists at a path with these parameters; empty where there is nothing. */
export function allowedMethods(endpoints: Endpoints, found: Found): string[] {
  const methods = [...endpoints].flatMap(([method, { paramsOf }]) => (paramsOf(found) ? [method] : []))
  if (methods.length === 0) return []
  return [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS']
}

/** The table's paths as the router wants them: `/og/{userId}.png` → `/api/event/og/:userId`. */
const routerPath = (prefix: string, { path, atRoot }: Pick<Route, 'path' | 'atRoot'>): string =>
  (atRoot ? '' : prefix) + path.replace(ENDING, ':$1')

/** The routes of the path itself, and those that take it for a parameter: to PATCH, `/feedback/status` is an id. */
function endpointsAt(
  path: string,
  { prefix, routes }: { prefix: string; routes: readonly Route[] },
): Endpoints {
  const endpoints = new Map<Method, Endpoint>()
  for (const route of routes) {
    const pattern = routerPath(prefix, route)
    const check = paramsCheck(route)
    const covered = pattern === path ? undefined : coveredBy(pattern, path)
    if (pattern === path) endpoints.set(route.method, { route, paramsOf: check })
    else if (covered && !endpoints.has(route.method))
      endpoints.set(route.method, { route, paramsOf: () => check(covered) })
  }
  return endpoints
}

/** The parameters by which a pattern matches a fixed path; undefined where it does not. */
function coveredBy(pattern: string, path: string): Found | undefined {
  const names = pattern.split('/')
  const values = path.split('/')
  if (path.includes(':') || names.length !== values.length) return undefined
  const params: Record<string, string | undefined> = {}
  for (const [at, name] of names.entries()) {
    if (name.startsWith(':')) params[name.slice(1)] = values[at]
    else if (name !== values[at]) return undefined
  }
  return params
}

/** Whether `@me` may stand for the `userId` of a path: what is read or erased of one person. */
export const mayNameOwn = ({ path }: Pick<Route, 'path'>): boolean => path.startsWith('/user/{userId}')

/** Checks the parameters as the router found them; the name of a file loses its ending. */
function paramsCheck(route: Route): Endpoint['paramsOf'] {
  const wanted = [...route.path.matchAll(ENDING)].map(([, name = '', ending = '']) => ({
    name,
    ending,
    mayBeOwn: mayNameOwn(route) && name === 'userId',
  }))
  return (found) => {
    const params: Record<string, string> = {}
    for (const { name, ending, mayBeOwn } of wanted) {
      const given = found[name] ?? ''
      if (!given.endsWith(ending)) return undefined
      const value = given.slice(0, given.length - ending.length)
      if (!PARAMETER.test(value) && !(mayBeOwn && value === OWN)) return undefined
      params[name] = value
    }
    return params
  }
}
