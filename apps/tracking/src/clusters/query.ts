import { type BoundingBox, parseBoundingBox } from '@palanquin/domain/geo'
import { ZOOM_MAX } from '@palanquin/domain/grid'
import { ApiError } from '@palanquin/service/http/api-error'
import Type, { type Static } from 'typebox'

/** Cells of some 10 km: a procession on a map of the island. */
const ZOOM_DEFAULT = 10
/** Cells of some 600 metres: finer ones would show a volunteer where one person is. */
const COARSE_ZOOM_MAX = 14
const WHOLE_EARTH: BoundingBox = { west: -180, south: -90, east: 180, north: 90 }

export const ClustersQueryParams = Type.Object({
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
      description: `a whole number between 0 (cells of 90 degrees) and ${ZOOM_MAX} (some 10 metres); ${ZOOM_DEFAULT} if left out. A volunteer gets ${COARSE_ZOOM_MAX} at most`,
    }),
  ),
  of: Type.Optional(
    Type.Enum(['latest', 'all'], {
      description: 'latest (default): the latest position of every participant; all: every stored point',
    }),
  ),
  format: Type.Optional(Type.Enum(['json', 'geojson'], { description: 'json (default) or geojson' })),
})
export type ClustersQueryParams = Static<typeof ClustersQueryParams>

/**
 * Which positions are counted, and on which grid. `isCoarse` protects individuals from volunteers: the withdrawn are left
 * out, and a cluster stands at the centre of its cell.
 */
export type ClustersQuery = { box: BoundingBox; zoom: number; isCoarse: boolean }

/** The points of one cell: their mean place or the cell's centre, and their number. */
export type Cluster = { lat: number; lng: number; count: number }

/** The query of `GET /admin/clusters`, or what is wrong with it. */
export function parseClustersQuery(
  { bbox, zoom: requested = ZOOM_DEFAULT }: ClustersQueryParams,
  { isCoarse }: { isCoarse: boolean },
): ClustersQuery | ApiError {
  const box = bbox === undefined ? WHOLE_EARTH : parseBoundingBox(bbox)
  const zoom = isCoarse ? Math.min(requested, COARSE_ZOOM_MAX) : requested
  return 'error' in box ? new ApiError('invalid', box.error) : { box, zoom, isCoarse }
}
