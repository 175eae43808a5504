import { FeatureCollectionOf, FeatureOf, PointGeometry } from '@palanquin/service/http/geojson'
import Type from 'typebox'

const grid = {
  zoom: Type.Integer({ minimum: 0, maximum: 20, description: 'the requested zoom, or the one used instead' }),
  cellDegrees: Type.Number({
    description: 'the side of a cell of the grid: 90 degrees at zoom 0, half at each next',
  }),
}
const count = Type.Integer({ minimum: 1, description: 'points in the cell' })

/** `GET /admin/clusters`, as JSON. */
export const Clusters = Type.Object({
  ...grid,
  clusters: Type.Array(
    Type.Object({
      lat: Type.Number({
        minimum: -90,
        maximum: 90,
        description: 'the mean of the points in the cell; for a volunteer the middle of the cell',
      }),
      lng: Type.Number({ minimum: -180, maximum: 180, description: 'the same in longitude' }),
      count,
    }),
    { description: 'cells with a point, from south to north' },
  ),
})

/** The same as GeoJSON. */
export const ClusterFeatures = FeatureCollectionOf(
  FeatureOf({
    geometry: PointGeometry,
    properties: Type.Object({ count }, { description: 'what is known of the cell' }),
  }),
  grid,
)
