import type { BoundingBox } from '@palanquin/domain/geo'

/** A box across the antimeridian has two longitude ranges: OR where a plain box has AND. */
export const joint = ({ west, east }: BoundingBox): 'AND' | 'OR' => (west > east ? 'OR' : 'AND')

/** A condition on the places of rows, and what holds of a packed hour that has such a place. */
export type Where = { place: string; bounds: string }

/** $1 to $4 are the box (west, south, east, north). */
export const inBox = (box: BoundingBox): Where => ({
  place: `lat >= $2 AND lat <= $4 AND (lng >= $1 ${joint(box)} lng <= $3)`,
  bounds: `lat_to >= $2 AND lat_from <= $4 AND (lng_to >= $1 ${joint(box)} lng_from <= $3)`,
})

/** Every stored point for which all conditions hold, in whichever form it is kept; `also` is one on the participant. */
export function pointsWhere(conditions: readonly Where[], also = ''): string {
  const place = conditions.map((where) => `(${where.place})`).join(' AND ')
  const bounds = conditions.map((where) => `(${where.bounds})`).join(' AND ')
  const of = also === '' ? '' : `${also} AND `
  return `(
  SELECT lat, lng FROM tracking.points WHERE ${of}${place}
  UNION ALL
  SELECT lat, lng FROM (
    SELECT point.lat, point.lng FROM tracking.packed_points AS packed CROSS JOIN LATERAL tracking.unpack(packed) AS point
     WHERE ${of}${bounds}) AS unpacked WHERE ${place})`
}
