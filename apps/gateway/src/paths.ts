import type { Method, Route } from './route.ts'

/** A path parameter, decoded once (security.md): ids, and names of pictures before their `.png`. */
const PARAMETER = /^[A-Za-z0-9_-]{1,64}$/
const PNG = '.png'

export type Params = Readonly<Record<string, string>>
export type Found = { route: Route; params: Params }

/** The table's paths as a router and a server want them: `/og/{userId}.png` → `/api/event/og/:userId`. */
export const routerPath = (prefix: string, path: string): string =>
  prefix + path.replace(/\{(\w+)\}(?:\.png)?/g, ':$1')

/**
 * Judges the parameters as a router found them: a PNG's name loses its ending.
 * Undefined if one is not what it must be: then there is nothing at this path.
 */
export function paramsCheck(
  route: Route,
): (found: Readonly<Record<string, string | undefined>>) => Params | undefined {
  const wanted = [...route.path.matchAll(/\{(\w+)\}(?:\.png)?/g)].map(([whole, name = '']) => ({
    name,
    isPng: whole.endsWith(PNG),
  }))
  return (found) => {
    const params: Record<string, string> = {}
    for (const { name, isPng } of wanted) {
      const given = found[name] ?? ''
      if (isPng && !given.endsWith(PNG)) return undefined
      const value = isPng ? given.slice(0, -PNG.length) : given
      if (!PARAMETER.test(value)) return undefined
      params[name] = value
    }
    return params
  }
}

/** Finds rows by path alone, for what the router leaves over: HEAD, and which methods a path has. */
export function pathFinder(prefix: string, routes: readonly Route[]) {
  const patterns = routes.map((route) => ({
    route,
    pattern: patternOf(prefix + route.path),
    check: paramsCheck(route),
  }))
  const rowsAt = (pathname: string): Found[] =>
    patterns.flatMap(({ route, pattern, check }) => {
      const groups = pattern.exec(pathname)?.groups ?? (pattern.test(pathname) ? {} : undefined)
      const params = groups && check(decoded(groups))
      return params ? [{ route, params }] : []
    })
  return {
    /** The row of a method at a path; a path without parameters wins over one with. */
    find: (method: Method, pathname: string): Found | undefined =>
      rowsAt(pathname)
        .filter(({ route }) => route.method === method)
        .sort((a, b) => Object.keys(a.params).length - Object.keys(b.params).length)[0],
    /** What Allow says; empty for an unknown path. */
    methodsAt: (pathname: string): string[] => {
      const methods = new Set<string>(rowsAt(pathname).map(({ route }) => route.method))
      if (methods.has('GET')) methods.add('HEAD')
      return methods.size === 0 ? [] : [...methods, 'OPTIONS']
    },
  }
}

function decoded(groups: Readonly<Record<string, string>>): Record<string, string | undefined> {
  const params: Record<string, string | undefined> = {}
  for (const [name, raw] of Object.entries(groups)) {
    try {
      params[name] = decodeURIComponent(raw)
    } catch {
      params[name] = undefined // not an encoding at all: no such path
    }
  }
  return params
}

/** Groups hold the raw text of a segment, an ending `.png` included. */
const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replaceAll('.png', '').replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`)
