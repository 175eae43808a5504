import Type, { type TSchema } from 'typebox'

/** A position of GeoJSON (RFC 7946, 3.1.1), for the API document. */
const Position = Type.Array(Type.Number(), {
  minItems: 2,
  maxItems: 3,
  description: 'longitude, latitude in degrees, and metres above the sea where they are known',
})

export const PointGeometry = Type.Object(
  { type: Type.Literal('Point', { description: 'a place' }), coordinates: Position },
  { description: 'where' },
)
export const LineGeometry = Type.Object(
  {
    type: Type.Literal('LineString', { description: 'a line' }),
    coordinates: Type.Array(Position, { minItems: 2, description: 'its positions in order' }),
  },
  { description: 'where' },
)

type Feature = { geometry: TSchema; properties: TSchema; id?: TSchema }

export const FeatureOf = ({ geometry, properties, id }: Feature) =>
  Type.Object({
    type: Type.Literal('Feature', { description: 'as GeoJSON has it' }),
    ...(id ? { id } : {}),
    geometry,
    properties,
  })

/** A FeatureCollection, with members of ours beside its features (RFC 7946, 6.1). */
export const FeatureCollectionOf = (feature: TSchema, members: Record<string, TSchema> = {}) =>
  Type.Object({
    type: Type.Literal('FeatureCollection', { description: 'as GeoJSON has it' }),
    ...members,
    features: Type.Array(feature, { description: 'the features' }),
  })
