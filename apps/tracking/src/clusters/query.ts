import { type BoundingBox, parseBoundingBox } from '@palanquin/domain/geo'
import { ZOOM_MAX } from '@palanquin/domain/grid'
import { ApiError } from '@palanquin/service/http/api-error'
import Type, { type Static } from 'typebox'

/** Cells of some 10 km: a procession on a map of the island. */
const ZOOM_DEFAULT = 10
/** Cells of some 600 metres: finer ones would tell a volunteer where one person is. */
const COARSE_ZOOM_MAX = 14
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
      description: `a whole number between 0 (cells of 90 degrees) and ${ZOOM_MAX} (some 10 metres); ${ZOOM_DEFAULT} if left out. A volunteer’s is taken as ${COARSE_ZOOM_MAX} at most`,
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

/**
 * Which positions are counted, and on which grid. `coarse`: for volunteers, so that no one person can be found: without those
 * who have withdrawn, and with the centres of cells for their places.
 */
export type Question = { box: BoundingBox; zoom: number; coarse: boolean }

/** The points of one cell: their mean place or the cell's centre, and how many there are. */
export type Cluster = { lat: number; lng: number; count: number }

/** What a query asks for, or why it cannot be understood. */
export function questionOf(
  { bbox, zoom: asked = ZOOM_DEFAULT }: ClustersQuery,
  { coarse }: { coarse: boolean },
): Question | ApiError {
  const box = bbox === undefined ? WHOLE_EARTH : parseBoundingBox(bbox)
  const zoom = coarse ? Math.min(asked, COARSE_ZOOM_MAX) : asked
  return 'error' in box ? new ApiError('invalid', box.error) : { box, zoom, coarse }
}
