import { simplifiedIndices } from '@palanquin/domain/simplify'
import type { FeatureCollection, Position } from 'geojson'
import { mercator } from '../map/moving-dots.ts'
import type { LinePoint } from '../recording/gaps.ts'
import type { Day, Night, Walk } from './day.ts'

export type LngLat = [number, number]
/** The lines of a day as they are drawn: far fewer points, none of them new. */
export type DrawnDay = { index: number; lines: LngLat[][]; start: LngLat | null }
export type Drawn = { days: DrawnDay[]; gaps: LngLat[][]; nights: LngLat[] }

/** On a phone ten metres are a pixel at the zoom of a town. */
const TOLERANCE_M = 10

const placeOf = ({ lat, lng }: { lat: number; lng: number }): LngLat => [lng, lat]

/** A day's lines, simplified to ten metres; a single point is a line of one. */
export function drawnDay({ parts }: Pick<Day, 'parts'>, index: number): DrawnDay {
  const lines = parts.map((part) => simplified(part))
  return { index, lines, start: lines[0]?.[0] ?? null }
}

function simplified(part: readonly LinePoint[]): LngLat[] {
  const line = part.map(placeOf)
  return simplifiedIndices(line, TOLERANCE_M).flatMap((at) => line.slice(at, at + 1))
}

/** The whole walk as it is drawn; between two days it lets the page do something else. */
export async function drawnWalk({ days, gaps }: Walk, nights: readonly Night[]): Promise<Drawn> {
  const drawn: DrawnDay[] = []
  for (const [index, day] of days.entries()) {
    drawn.push(drawnDay(day, index))
    await new Promise((resolve) => setTimeout(resolve))
  }
  return {
    days: drawn,
    gaps: gaps.map(([from, to]) => [placeOf(from), placeOf(to)]),
    nights: nights.map(({ at }) => placeOf(at)),
  }
}

/** West, south, east and north of what is drawn; null for nothing. */
function boundsOf({ days, gaps }: Drawn): [number, number, number, number] | null {
  let [west, south, east, north] = [180, 90, -180, -90]
  for (const [lng, lat] of [...days.flatMap(({ lines }) => lines.flat()), ...gaps.flat()]) {
    ;[west, south] = [Math.min(west, lng), Math.min(south, lat)]
    ;[east, north] = [Math.max(east, lng), Math.max(north, lat)]
  }
  return west > east ? null : [west, south, east, north]
}

/** In degrees: a single place is shown with the land around it. */
const SPAN_MIN = 0.12
const MARGIN_SHARE = 0.12
/** Height by width: a sheet fits on a screen. */
const [HEIGHT_SHARE_MIN, HEIGHT_SHARE_MAX] = [0.5, 1.5]

/** A picture of the walk in its own units: where a place is, and the counties that are in sight. */
export type Sheet = {
  width: number
  height: number
  at: (place: LngLat) => [number, number]
  /** The counties, as the `d` of a path. */
  land: string
}

/** Fits a sheet to what is drawn, in Web Mercator as the map is. */
export function sheetOf(drawn: Drawn, outlines: FeatureCollection, width: number): Sheet {
  const [west, south, east, north] = boundsOf(drawn) ?? [120, 22, 122, 25.3]
  const from = mercator({ lng: west, lat: north })
  const to = mercator({ lng: east, lat: south })
  const margin = 1 + 2 * MARGIN_SHARE
  const least = SPAN_MIN / 360
  const [across, down] = [Math.max(to.x - from.x, least) * margin, Math.max(to.y - from.y, least) * margin]
  const wide = Math.max(across, down / HEIGHT_SHARE_MAX)
  const high = Math.max(down, wide * HEIGHT_SHARE_MIN)
  const [left, top] = [(from.x + to.x - wide) / 2, (from.y + to.y - high) / 2]
  const scale = width / wide
  const height = Math.round(high * scale)
  const at = ([lng, lat]: LngLat): [number, number] => {
    const place = mercator({ lng, lat })
    return [round((place.x - left) * scale), round((place.y - top) * scale)]
  }
  return { width, height, at, land: landOf(outlines, at, { width, height }) }
}

const round = (value: number): number => Math.round(value * 10) / 10

function landOf(
  { features }: FeatureCollection,
  at: Sheet['at'],
  { width, height }: { width: number; height: number },
): string {
  const isInSight = (ring: [number, number][]) =>
    ring.some(([x]) => x > 0) &&
    ring.some(([x]) => x < width) &&
    ring.some(([, y]) => y > 0) &&
    ring.some(([, y]) => y < height)
  const rings = features.flatMap(({ geometry }) =>
    geometry.type === 'MultiPolygon' ? geometry.coordinates.flat() : [],
  )
  return rings
    .map((ring) => ring.map(([lng = 0, lat = 0]: Position) => at([lng, lat])))
    .filter(isInSight)
    .map((ring) => `${pathOf(ring)}Z`)
    .join('')
}

/** The `d` of a line through points of a sheet; a single one is a dot, where line caps are round. */
export const pathOf = (line: readonly (readonly [number, number])[]): string =>
  line.map(([x, y], index) => `${index === 0 ? 'M' : 'L'}${x} ${y}`).join('') +
  (line.length === 1 ? 'h0' : '')
