/** What organisers publish for participants: places, the route, notices. Web face, section 4. */
import Type, { type Static } from 'typebox'
import { Latitude, Longitude } from './degrees'
import { BothLanguages } from './languages'
import { Nullable, OptionalField } from './optional'
import { INSTANT_EXPECTED, InstantInput, Iso } from './time'

export const PLACE_KINDS = ['supply', 'toilet', 'medical', 'rest', 'pickup', 'other'] as const
export const PlaceKind = Type.Enum([...PLACE_KINDS], { description: `one of ${PLACE_KINDS.join(', ')}` })
export type PlaceKind = Static<typeof PlaceKind>

const PLACE_NAME_CHARACTERS_MAX = 80
const PLACE_NOTE_CHARACTERS_MAX = 300
const NOTICE_CHARACTERS_MAX = 500
/** More places than a map can show: a runaway import, not a guide. */
export const PLACES_MAX = 2_000
export const NOTICES_MAX = 100

const PlaceName = BothLanguages({ max: PLACE_NAME_CHARACTERS_MAX, description: 'the name of the place' })
const PlaceNote = BothLanguages({
  max: PLACE_NOTE_CHARACTERS_MAX,
  description: 'opening hours, what there is',
})

/** Body of `POST /admin/places`. */
export const PlaceBody = Type.Object({
  kind: PlaceKind,
  name: PlaceName,
  note: OptionalField(PlaceNote, 'opening hours, what there is; null for none'),
  lat: Latitude,
  lng: Longitude,
})
export type PlaceBody = Static<typeof PlaceBody>

/** Body of `PATCH /admin/places/{id}`: what is left out stays. */
export const PlacePatch = Type.Partial(
  Type.Object({ kind: PlaceKind, name: PlaceName, note: Nullable(PlaceNote), lat: Latitude, lng: Longitude }),
)
export type PlacePatch = Static<typeof PlacePatch>

export const NOTICE_LEVELS = ['info', 'warning', 'urgent'] as const
export const NoticeLevel = Type.Enum([...NOTICE_LEVELS], { description: 'info, warning or urgent' })
export type NoticeLevel = Static<typeof NoticeLevel>

/** Body of `POST /admin/notices`: text in both languages, never markup. */
export const NoticeBody = Type.Object({
  level: NoticeLevel,
  ...BothLanguages({ max: NOTICE_CHARACTERS_MAX, description: 'the notice' }).properties,
  until: OptionalField(InstantInput, INSTANT_EXPECTED),
})
export type NoticeBody = Static<typeof NoticeBody>

/** Body of `PATCH /admin/notices/{id}`: what is left out stays. */
export const NoticePatch = Type.Partial(
  Type.Object({
    level: NoticeLevel,
    ...BothLanguages({ max: NOTICE_CHARACTERS_MAX, description: 'the notice' }).properties,
    until: Nullable(InstantInput, INSTANT_EXPECTED),
  }),
)
export type NoticePatch = Static<typeof NoticePatch>

/** A notice as everybody sees it. */
export const Notice = Type.Object({
  id: Type.String({ description: 'identifier of the notice' }),
  at: Iso,
  level: NoticeLevel,
  zh: Type.String({ description: 'the text in Chinese' }),
  en: Type.String({ description: 'the text in English' }),
  until: Nullable(Iso, 'when it is no longer shown; null where it has no end'),
})
export type Notice = Static<typeof Notice>

/** A point as GeoJSON has it: longitude first. */
export type Position = [number, number]

/** The planned or walked way: its lines, each of at least two points. */
export type RouteLines = Position[][]

/** The stored route keeps at most this many points; more are simplified away. */
export const ROUTE_POINTS_MAX = 20_000
/** A file of more points than this is no route of a walk. */
const FILE_POINTS_MAX = 500_000

/** The lines of a GeoJSON document; a sentence that says what is wrong where it has none. */
export function routeOfGeoJson(document: unknown): RouteLines | { error: string } {
  const lines: RouteLines = []
  const problem = collect(document, lines, 0)
  if (problem !== null) return { error: problem }
  return checkedLines(lines)
}

/** Lines with two points and more whose places lie on the Earth. */
export function checkedLines(lines: RouteLines): RouteLines | { error: string } {
  const usable = lines.filter((line) => line.length > 1)
  if (usable.length === 0)
    return { error: 'The file has no line: a route is a LineString, a track or a route.' }
  if (usable.reduce((sum, line) => sum + line.length, 0) > FILE_POINTS_MAX)
    return { error: `The file has more than ${FILE_POINTS_MAX} points; please thin it out.` }
  for (const line of usable)
    for (const [lng, lat] of line)
      if (!(Math.abs(lat) <= 90 && Math.abs(lng) <= 180))
        return {
          error: `The file has a point that is no place on the Earth: ${lng}, ${lat} (longitude first).`,
        }
  return usable
}

const NESTING_MAX = 8
const NOT_GEOJSON = 'The file is no GeoJSON: expected a LineString, or features with one.'

/** Adds the lines of a GeoJSON object; returns what is wrong with it, or null. */
function collect(value: unknown, lines: RouteLines, depth: number): string | null {
  if (depth > NESTING_MAX || typeof value !== 'object' || value === null || !('type' in value))
    return NOT_GEOJSON
  const of = (name: string): unknown => Reflect.get(value, name)
  const all = (items: unknown) =>
    Array.isArray(items)
      ? items.reduce<string | null>((problem, item) => problem ?? collect(item, lines, depth + 1), null)
      : NOT_GEOJSON
  switch (value.type) {
    case 'FeatureCollection':
      return all(of('features'))
    case 'GeometryCollection':
      return all(of('geometries'))
    case 'Feature':
      return of('geometry') === null ? null : collect(of('geometry'), lines, depth + 1)
    case 'LineString':
      return addLine(of('coordinates'), lines)
    case 'MultiLineString': {
      const coordinates = of('coordinates')
      if (!Array.isArray(coordinates)) return NOT_GEOJSON
      return coordinates.reduce<string | null>((problem, line) => problem ?? addLine(line, lines), null)
    }
    case 'Point':
    case 'MultiPoint':
    case 'Polygon':
    case 'MultiPolygon':
      return null // places beside the route
    default:
      return NOT_GEOJSON
  }
}

function addLine(coordinates: unknown, lines: RouteLines): string | null {
  if (!Array.isArray(coordinates)) return NOT_GEOJSON
  const line: Position[] = []
  for (const position of coordinates) {
    if (!Array.isArray(position)) return NOT_GEOJSON
    const [lng, lat]: unknown[] = position
    if (typeof lng !== 'number' || typeof lat !== 'number') return NOT_GEOJSON
    line.push([lng, lat])
  }
  lines.push(line)
  return null
}
