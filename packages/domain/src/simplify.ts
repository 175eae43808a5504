/** Lines with fewer points, for maps: the Ramer-Douglas-Peucker algorithm over metres. */
import { cosOfLatitude, EARTH_RADIUS_KM } from './geo'

const METRES_PER_RADIAN = EARTH_RADIUS_KM * 1_000
const RADIANS = Math.PI / 180

/** The indices of the points that stay: none is further than `toleranceM` from the line that is left. */
export function simplifiedIndices(
  line: readonly (readonly [number, number])[],
  toleranceM: number,
): number[] {
  const last = line.length - 1
  if (last < 1) return line.length === 1 ? [0] : []
  const cos = cosOfLatitude(((line[0]?.[1] ?? 0) + (line[last]?.[1] ?? 0)) / 2)
  const x = line.map(([lng]) => lng * RADIANS * METRES_PER_RADIAN * cos)
  const y = line.map(([, lat]) => lat * RADIANS * METRES_PER_RADIAN)
  const stays = new Uint8Array(line.length)
  stays[0] = 1
  stays[last] = 1
  const open: [number, number][] = [[0, last]]
  for (let span = open.pop(); span !== undefined; span = open.pop()) {
    const [from, to] = span
    let [furthest, distance] = [-1, toleranceM]
    for (let at = from + 1; at < to; at++) {
      const away = distanceToSegment(x, y, at, from, to)
      if (away > distance) [furthest, distance] = [at, away]
    }
    if (furthest < 0) continue
    stays[furthest] = 1
    open.push([from, furthest], [furthest, to])
  }
  return [...stays.keys()].filter((at) => stays[at] === 1)
}

function distanceToSegment(
  x: readonly number[],
  y: readonly number[],
  at: number,
  from: number,
  to: number,
): number {
  const [ax = 0, ay = 0, bx = 0, by = 0] = [x[from], y[from], x[to], y[to]]
  const [px = 0, py = 0] = [x[at], y[at]]
  const [dx, dy] = [bx - ax, by - ay]
  const length = dx * dx + dy * dy
  const part = length === 0 ? 0 : Math.max(0, Math.min(1, ((px - ax) * dx + (py - ay) * dy) / length))
  return Math.hypot(px - (ax + part * dx), py - (ay + part * dy))
}
