import Type from 'typebox'

/** Degrees of WGS 84 as bodies and answers have them. */
export const Latitude = Type.Number({ minimum: -90, maximum: 90, description: 'a number between -90 and 90' })
export const Longitude = Type.Number({
  minimum: -180,
  maximum: 180,
  description: 'a number between -180 and 180',
})

/** `BoundingBox` of geo.ts. */
export const BoundingBox = Type.Object(
  { west: Longitude, south: Latitude, east: Longitude, north: Latitude },
  { description: 'a box in degrees' },
)
