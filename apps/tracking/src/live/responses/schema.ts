import { Nullable } from '@palanquin/domain/optional'
import { Iso } from '@palanquin/domain/time'
import { FeatureCollectionOf, FeatureOf, PointGeometry } from '@palanquin/service/http/geojson'
import Type from 'typebox'

/** Schemas of `GET /data` and its stream, for the API document. */

const id = Type.String({ description: 'a stable pseudonym' })
const userId = Type.String({ description: 'for managers and owners only' })
const Level = Nullable(Type.Integer({ minimum: 1, maximum: 9 }), 'the level; null below one check-in')
const displayName = Type.String({
  description: 'the display name; left out where none was given, or for `anonymous`',
})

const cursor = Type.String({ description: 'opaque; pass it as `since`' })
const total = Type.Integer({ minimum: 0, description: 'participants in the box, moved or not' })
const removed = Type.Optional(
  Type.Array(Type.String(), {
    description:
      'in a delta: the ids of participants who withdrew, revoked consent, chose `crowd` or were erased; remove them from the map, then add `points`',
  }),
)
const reset = Type.Optional(
  Type.Literal(true, {
    description:
      'the changes since the cursor are unknown, or most of the map: this is the whole map, replace what you have',
  }),
)
const rest = { removed, reset, cursor, total }

const facts = {
  userId: Type.Optional(userId),
  accuracy: Type.Optional(
    Type.Number({ minimum: 0, description: 'metres, as the phone reported; left out where it did not' }),
  ),
  recordedAt: Iso,
  level: Level,
  displayName: Type.Optional(displayName),
}

const LivePoint = Type.Object({
  id,
  lat: Type.Number({ minimum: -90, maximum: 90, description: 'latitude in degrees' }),
  lng: Type.Number({ minimum: -180, maximum: 180, description: 'longitude in degrees' }),
  ...facts,
})
const Positions = Type.Object({
  points: Type.Array(LivePoint, {
    description: 'participants on the map, or those who moved since the cursor',
  }),
  ...rest,
})

const column = <T extends ReturnType<typeof Type.Integer> | ReturnType<typeof Type.String>>(
  description: string,
  item: T,
) => Type.Array(item, { description })
const Columns = Type.Object({
  ids: column('stable pseudonyms', Type.String()),
  userIds: Type.Optional(column('for managers and owners only', Type.String())),
  lat: column('millionths of a degree', Type.Integer({ minimum: -90e6, maximum: 90e6 })),
  lng: column('millionths of a degree', Type.Integer({ minimum: -180e6, maximum: 180e6 })),
  accuracy: Type.Array(Nullable(Type.Integer({ minimum: 0 })), {
    description: 'metres; null where the phone did not report it',
  }),
  recordedAt: column('epoch milliseconds', Type.Integer()),
  level: column('levels; 0 below one check-in', Type.Integer({ minimum: 0, maximum: 9 })),
  displayName: Type.Array(Nullable(Type.String()), {
    description: 'names; null where none was given, or for `anonymous`',
  }),
  ...rest,
})

/** As JSON, by point or by column. */
export const MapData = Type.Union([Positions, Columns])

/** As GeoJSON. */
export const MapFeatures = FeatureCollectionOf(
  FeatureOf({
    id,
    geometry: PointGeometry,
    properties: Type.Object(facts, { description: 'the participant' }),
  }),
  rest,
)

/** Server-sent events: each `data` is that of `GET /data` in the same format. */
export const MapEvents = Type.String({
  description:
    'events named `points`: `id` is a cursor, `data` is the `data` of GET /data in the same format (of geojson its whole body)',
  'x-event-data': Type.Union([Positions, Columns, MapFeatures]),
})
