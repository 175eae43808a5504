import { type BoundingBox, boxContains } from '@palanquin/domain/geo'
import type { Density } from '../api/types.ts'

/** What the map shows at the moment: its box in degrees, and its zoom. */
export type View = { zoom: number; box: BoundingBox }

/** The crowd as a whole, the crowd in finer cells, or single people (web face, section 5). */
export type Tier = 'crowd' | 'cells' | 'people'
export const CELLS_ZOOM_MIN = 13
export const PEOPLE_ZOOM_MIN = 15
/** At most so many people are drawn one by one. */
export const PEOPLE_MAX = 500

/** Some 260 metres: nobody says exactly where they look, and readers with nearly the same view share a box. */
const BOX_STEPS_PER_DEGREE = 400
/** A very large screen gets the tiles in its middle. */
const TILES_MAX = 24

export const tierOf = (zoom: number): Tier =>
  zoom >= PEOPLE_ZOOM_MIN ? 'people' : zoom >= CELLS_ZOOM_MIN ? 'cells' : 'crowd'

/** What to read for the crowd: the whole activity, or the tiles of the view. */
export function densityPaths({ zoom, box }: View): string[] {
  if (tierOf(zoom) === 'crowd') return ['/density']
  const z = zoom >= CELLS_ZOOM_MIN + 1 ? CELLS_ZOOM_MIN + 1 : CELLS_ZOOM_MIN
  const [left, right] = [columnOf(box.west, z), columnOf(box.east, z)]
  const [top, bottom] = [rowOf(box.north, z), rowOf(box.south, z)]
  const paths: string[] = []
  for (let y = top; y <= bottom; y++)
    for (let x = left; x <= right; x++) paths.push(`/density?z=${z}&x=${x}&y=${y}`)
  const beyond = Math.max(0, paths.length - TILES_MAX)
  return paths.slice(Math.floor(beyond / 2), Math.floor(beyond / 2) + TILES_MAX)
}

/** What to read for the people of the view, its box rounded outward; null where they are not shown singly. */
export function peoplePath({ zoom, box }: View): string | null {
  if (tierOf(zoom) !== 'people') return null
  const { west, south, east, north } = box
  const edges = [...[west, south].map(roundedDown), ...[east, north].map(roundedUp)]
  return `/data?format=columns&limit=${PEOPLE_MAX}&bbox=${edges.join(',')}`
}

/** The cells of several tiles as one density; a cell that a tile's edge cuts is counted once. */
export function mergedDensity(parts: readonly Density[]): Density {
  const [first] = parts
  if (first === undefined || parts.length === 1)
    return first ?? { cellDegrees: 1, west: 0, south: 0, x: [], y: [], n: [] }
  const { cellDegrees } = first
  const counts = new Map<string, { x: number; y: number; n: number }>()
  for (const part of parts) {
    const [west, south] = [Math.round(part.west / cellDegrees), Math.round(part.south / cellDegrees)]
    part.n.forEach((n, at) => {
      const [x, y] = [west + (part.x[at] ?? 0), south + (part.y[at] ?? 0)]
      const cell = counts.get(`${x} ${y}`)
      if (cell) cell.n += n
      else counts.set(`${x} ${y}`, { x, y, n })
    })
  }
  const cells = [...counts.values()]
  return {
    cellDegrees,
    west: 0,
    south: 0,
    x: cells.map(({ x }) => x),
    y: cells.map(({ y }) => y),
    n: cells.map(({ n }) => n),
  }
}

/** The finer cells of the view, unless they lose most of its people: cells of fewer than three are left out. */
export function clearerDensity(
  fine: Density | null,
  whole: Density | null,
  box: BoundingBox,
): Density | null {
  if (fine === null || whole === null) return fine ?? whole
  return 2 * countIn(fine, box) >= countIn(whole, box) ? fine : whole
}

const countIn = ({ cellDegrees, west, south, x, y, n }: Density, box: BoundingBox): number =>
  n.reduce((sum, count, at) => {
    const lng = west + ((x[at] ?? 0) + 0.5) * cellDegrees
    const lat = south + ((y[at] ?? 0) + 0.5) * cellDegrees
    return boxContains(box, lat, lng) ? sum + count : sum
  }, 0)

const roundedDown = (degrees: number) => Math.floor(degrees * BOX_STEPS_PER_DEGREE) / BOX_STEPS_PER_DEGREE
const roundedUp = (degrees: number) => Math.ceil(degrees * BOX_STEPS_PER_DEGREE) / BOX_STEPS_PER_DEGREE

const columnOf = (lng: number, z: number): number => Math.floor(((lng + 180) / 360) * 2 ** z)
const rowOf = (lat: number, z: number): number =>
  Math.floor(((1 - Math.asinh(Math.tan((lat * Math.PI) / 180)) / Math.PI) / 2) * 2 ** z)
