import { type BoundingBox, parseBoundingBox } from '@palanquin/domain/geo'
import { ZOOM_MAX } from '@palanquin/domain/grid'
import { Refusal } from '@palanquin/service/http/refusal'
import Type, { type Static } from 'typebox'

/** Cells of some 10 km: a procession on a map of the island. */
const ZOOM_DEFAULT = 10
const WHOLE_EARTH: BoundingBox = { west: -180, south: -90, east: 180, north: 90 }

export const ClustersQuery = Type.Object({
  bbox: Type.Optional(
    Type.String({
      description:
        'west,south,east,north in degrees, edges included; west above east crosses the antimeridian; the whole Earth if left out',
      examples: ['120,23.4,121,24.8'],
    }),
  ),
  zoom: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: ZOOM_MAX,
      description: `a whole number between 0 (cells of 90 degrees) and ${ZOOM_MAX} (some 10 metres); ${ZOOM_DEFAULT} if left out`,
    }),
  ),
  of: Type.Optional(
    Type.Enum(['latest', 'all'], {
      description: 'latest (default): where everybody was last; all: every stored point',
    }),
  ),
  format: Type.Optional(Type.Enum(['json', 'geojson'], { description: 'json (default) or geojson' })),
})
export type ClustersQuery = Static<typeof ClustersQuery>

/** Which positions are counted, and on which grid. */
export type Question = { box: BoundingBox; zoom: number }

/** The points of one cell: their mean place, and how many there are. */
export type Cluster = { lat: number; lng: number; count: number }

/** What a query asks for, or why it cannot be understood. */
export function questionOf({ bbox, zoom = ZOOM_DEFAULT }: ClustersQuery): Question | Refusal {
  const box = bbox === undefined ? WHOLE_EARTH : parseBoundingBox(bbox)
  return 'error' in box ? new Refusal('invalid', box.error) : { box, zoom }
}
