import { Nullable } from '@palanquin/domain/optional'
import { POINT_KINDS } from '@palanquin/domain/point'
import { Iso } from '@palanquin/domain/time'
import { FeatureCollectionOf, FeatureOf, LineGeometry, PointGeometry } from '@palanquin/service/http/geojson'
import Type from 'typebox'

const Kind = Type.Enum([...POINT_KINDS], { description: 'checkin or track' })
const Accuracy = Nullable(Type.Number({ minimum: 0 }), 'metres; null where the phone did not report it')
const Speed = Nullable(Type.Number({ minimum: 0 }), 'km/h; null where the phone did not report it')
const Source = Type.String({ description: 'the client that sent it' })

const PointProperties = Type.Object(
  {
    kind: Kind,
    recordedAt: Iso,
    accuracy: Accuracy,
    speed: Speed,
    source: Source,
    note: Nullable(Type.String(), 'the note of a check-in'),
  },
  { description: 'the point' },
)

const LineProperties = Type.Object(
  {
    kind: Type.Literal('track', { description: 'a part of the track' }),
    from: Iso,
    to: Iso,
    coordTimes: Type.Array(Iso, { description: 'when each position was recorded' }),
    coordinateProperties: Type.Object(
      {
        accuracy: Type.Array(Accuracy, { description: 'of each position' }),
        speed: Type.Array(Speed, { description: 'of each position' }),
        source: Type.Array(Source, { description: 'of each position' }),
        kind: Type.Array(Kind, { description: 'of each position' }),
      },
      { description: 'other measurements at each position' },
    ),
  },
  { description: 'the part of the track' },
)

/** `GET /admin/users/{userId}/track` as GeoJSON. */
export const TrackFeatures = FeatureCollectionOf(
  Type.Union([
    FeatureOf({ geometry: LineGeometry, properties: LineProperties }),
    FeatureOf({ geometry: PointGeometry, properties: PointProperties }),
  ]),
)

/** The same as GPX. */
export const TrackGpx = Type.String({
  description: 'GPX 1.1: a track segment for each part, check-ins as waypoints',
})
