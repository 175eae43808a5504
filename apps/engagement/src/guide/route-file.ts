import {
  checkedLines,
  type Position,
  ROUTE_POINTS_MAX,
  type RouteLines,
  routeOfGeoJson,
} from '@palanquin/domain/guide'
import { simplifiedIndices } from '@palanquin/domain/simplify'
import { ApiError } from '@palanquin/service/http/api-error'
import { SaxesParser } from 'saxes'

/** What of a route is kept at most: finer than a map shows it. */
const TOLERANCE_M = 10
/** Each try keeps a quarter of the detail; a route round the Earth is short of the limit after six. */
const TRIES_MAX = 8

/** Reads a route out of a file's text: GeoJSON or GPX. What is wrong is a sentence. */
export function readRouteFile(text: string): RouteLines | ApiError {
  const trimmed = text.replace(/^\uFEFF/, '').trimStart()
  const route = trimmed.startsWith('<') ? routeOfGpx(trimmed) : routeOfText(trimmed)
  return 'error' in route ? new ApiError('invalid', route.error) : thinned(route)
}

/** Reads a route out of a parsed GeoJSON body. */
export function readRouteBody(document: unknown): RouteLines | ApiError {
  const route = routeOfGeoJson(document)
  return 'error' in route ? new ApiError('invalid', route.error) : thinned(route)
}

function routeOfText(text: string): RouteLines | { error: string } {
  let document: unknown
  try {
    document = JSON.parse(text)
  } catch {
    return { error: 'The file is neither GeoJSON nor GPX: it is no JSON, and does not begin with <.' }
  }
  return routeOfGeoJson(document)
}

/** The lines of a GPX document: each segment of a track, and each route. */
function routeOfGpx(text: string): RouteLines | { error: string } {
  const lines: RouteLines = []
  let line: Position[] | null = null
  let problem: string | null = null
  const parser = new SaxesParser()
  parser.on('error', (error) => {
    problem ??= `The file is no GPX that can be read: ${error.message}`
  })
  parser.on('opentag', ({ name, attributes }) => {
    if (name === 'trkseg' || name === 'rte') line = []
    else if ((name === 'trkpt' || name === 'rtept') && line !== null)
      line.push([Number(attributes.lon ?? Number.NaN), Number(attributes.lat ?? Number.NaN)])
  })
  parser.on('closetag', ({ name }) => {
    if ((name === 'trkseg' || name === 'rte') && line !== null) {
      lines.push(line)
      line = null
    }
  })
  parser.write(text).close()
  return problem === null ? checkedLines(lines) : { error: problem }
}

/** Leaves out points that no map shows, until the route is short enough to be kept. */
function thinned(lines: RouteLines): RouteLines {
  let [thin, toleranceM] = [lines, TOLERANCE_M]
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    thin = lines.map((line) => keep(line, simplifiedIndices(line, toleranceM)))
    if (thin.reduce((sum, line) => sum + line.length, 0) <= ROUTE_POINTS_MAX) break
    toleranceM *= 4
  }
  return thin
}

const keep = (line: readonly Position[], indices: readonly number[]): Position[] =>
  indices.flatMap((at) => {
    const position = line[at]
    return position === undefined ? [] : [position]
  })
