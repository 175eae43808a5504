/** Places on the Earth: WGS 84 degrees, great-circle kilometres, boxes. Needs no library, as pages load it. */
/** Mean Earth radius R1 of the IUGG, in kilometres (contract, section 3). */
export const EARTH_RADIUS_KM = 6371.0088

const RADIANS = Math.PI / 180

/** A place in WGS 84 degrees. */
export type Place = { readonly lat: number; readonly lng: number }

/** Great-circle distance in kilometres. Never NaN for finite places. */
export function greatCircleKm({ from, to }: { from: Place; to: Place }): number {
  return haversineKm(from.lat, from.lng, cosOfLatitude(from.lat), to.lat, to.lng, cosOfLatitude(to.lat))
}

/** Cosine of a latitude in degrees, which a caller of `haversineKm` can compute once for many calls. */
export function cosOfLatitude(lat: number): number {
  return Math.cos(lat * RADIANS)
}

/** The haversine formula, in kilometres. It takes both cosines, so that a pass computes each once. */
export function haversineKm(
  latA: number,
  lngA: number,
  cosLatA: number,
  latB: number,
  lngB: number,
  cosLatB: number,
): number {
  const sinHalfLat = Math.sin((latB - latA) * (RADIANS / 2))
  const sinHalfLng = Math.sin((lngB - lngA) * (RADIANS / 2))
  const haversine = sinHalfLat * sinHalfLat + cosLatA * cosLatB * sinHalfLng * sinHalfLng
  // Rounding can lift antipodes just over 1, where asin is NaN.
  return haversine >= 1 ? Math.PI * EARTH_RADIUS_KM : 2 * EARTH_RADIUS_KM * Math.asin(Math.sqrt(haversine))
}

/** A box in degrees. `west` > `east` means that it crosses the antimeridian. */
export type BoundingBox = { west: number; south: number; east: number; north: number }

const BOX_EXPECTED = 'bbox: expected west,south,east,north in degrees, with south not above north'
const DECIMAL = /^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)\s*$/

/** Reads `west,south,east,north` in degrees; `{ error }` is a sentence for the client. */
export function parseBoundingBox(text: string): BoundingBox | { error: string } {
  const parts = text.split(',')
  if (parts.length !== 4 || !parts.every((part) => DECIMAL.test(part))) return { error: BOX_EXPECTED }
  const [west = Number.NaN, south = Number.NaN, east = Number.NaN, north = Number.NaN] = parts.map(Number)
  const inRange = Math.abs(west) <= 180 && Math.abs(east) <= 180 && south >= -90 && north <= 90
  return inRange && south <= north ? { west, south, east, north } : { error: BOX_EXPECTED }
}

/** Whether a place is inside a box, its edges included. */
export function boxContains(box: BoundingBox, lat: number, lng: number): boolean {
  if (lat < box.south || lat > box.north) return false
  return box.west <= box.east ? lng >= box.west && lng <= box.east : lng >= box.west || lng <= box.east
}
