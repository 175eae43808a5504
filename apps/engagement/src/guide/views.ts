import { Latitude, Longitude } from '@palanquin/domain/degrees'
import { type Notice, PlaceKind, type RouteLines } from '@palanquin/domain/guide'
import { InBothLanguages } from '@palanquin/domain/languages'
import { Nullable } from '@palanquin/domain/optional'
import { toIso } from '@palanquin/domain/time'
import { FeatureCollectionOf, FeatureOf, LineGeometry, PointGeometry } from '@palanquin/service/http/geojson'
import Type, { type Static } from 'typebox'
import type { NoticeRow, PlaceRow } from './store.ts'

const Name = InBothLanguages('the name of the place')
const Note = Nullable(InBothLanguages('opening hours, what there is'), 'null for none')

/** A place as organisers see it. */
export const Place = Type.Object({
  id: Type.String({ description: 'identifier of the place' }),
  kind: PlaceKind,
  name: Name,
  note: Note,
  lat: Latitude,
  lng: Longitude,
})
export type Place = Static<typeof Place>

const noteOf = ({ note_zh, note_en }: PlaceRow) =>
  note_zh === null && note_en === null ? null : { zh: note_zh ?? '', en: note_en ?? '' }

export const placeView = (row: PlaceRow): Place => ({
  id: row.id,
  kind: row.kind,
  name: { zh: row.name_zh, en: row.name_en },
  note: noteOf(row),
  lat: row.lat,
  lng: row.lng,
})

/** Places as everybody's map reads them. */
export const PlaceFeatures = FeatureCollectionOf(
  FeatureOf({
    id: Type.String({ description: 'identifier of the place' }),
    geometry: PointGeometry,
    properties: Type.Object({ kind: PlaceKind, name: Name, note: Note }, { description: 'what it is' }),
  }),
)

export const placeFeatures = (rows: readonly PlaceRow[]) => ({
  type: 'FeatureCollection',
  features: rows.map((row) => ({
    type: 'Feature',
    id: row.id,
    geometry: { type: 'Point', coordinates: [row.lng, row.lat] },
    properties: { kind: row.kind, name: { zh: row.name_zh, en: row.name_en }, note: noteOf(row) },
  })),
})

export const RouteFeatures = FeatureCollectionOf(
  FeatureOf({ geometry: LineGeometry, properties: Type.Object({}, { description: 'none' }) }),
)

export const routeFeatures = (lines: RouteLines) => ({
  type: 'FeatureCollection',
  features: lines.map((coordinates) => ({
    type: 'Feature',
    geometry: { type: 'LineString', coordinates },
    properties: {},
  })),
})

export const noticeView = (row: NoticeRow): Static<typeof Notice> => ({
  id: row.id,
  at: toIso(row.at.getTime()),
  level: row.level,
  zh: row.zh,
  en: row.en,
  until: row.until === null ? null : toIso(row.until.getTime()),
})
