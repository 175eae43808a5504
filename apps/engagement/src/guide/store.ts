import type { Database } from '@palanquin/db/client'
import { Nullable, Timestamp } from '@palanquin/db/rows'
import { notices, places, route } from '@palanquin/db/schema/engagement'
import {
  NOTICES_MAX,
  type NoticeBody,
  NoticeLevel,
  type NoticePatch,
  PLACES_MAX,
  type PlaceBody,
  PlaceKind,
  type PlacePatch,
  type RouteLines,
} from '@palanquin/domain/guide'
import { desc, gt, isNull, or } from 'drizzle-orm'
import Type, { type Static } from 'typebox'
import * as statements from './sql.ts'

const Text = Type.String()
export const PlaceRow = Type.Object({
  id: Text,
  kind: PlaceKind,
  name_zh: Text,
  name_en: Text,
  note_zh: Nullable(Text),
  note_en: Nullable(Text),
  lat: Type.Number(),
  lng: Type.Number(),
})
export type PlaceRow = Static<typeof PlaceRow>

export const NoticeRow = Type.Object({
  id: Text,
  at: Timestamp,
  level: NoticeLevel,
  zh: Text,
  en: Text,
  until: Nullable(Timestamp),
})
export type NoticeRow = Static<typeof NoticeRow>

const RouteRow = Type.Object({ lines: Type.Array(Type.Unknown()) })

const PLACE = {
  id: places.id,
  kind: places.kind,
  name_zh: places.nameZh,
  name_en: places.nameEn,
  note_zh: places.noteZh,
  note_en: places.noteEn,
  lat: places.lat,
  lng: places.lng,
}

/** A notice with its end as ISO text. */
export type NewNotice = Omit<NoticeBody, 'until'> & { until: string | null }
export type NoticeChange = Omit<NoticePatch, 'until'> & { until?: string | null }

/** Places, notices and the route of the activity. All throw StoreUnavailable. */
export function guideStore(db: Database) {
  return {
    /** In the order in which they were added. */
    places: (): Promise<PlaceRow[]> =>
      db.orm((orm) => orm.select(PLACE).from(places).orderBy(places.createdAt, places.id)),
    /** Null when there are as many as there may be. */
    addPlace: async ({ kind, name, note, lat, lng }: PlaceBody, by: string): Promise<PlaceRow | null> => {
      const values = [kind, name.zh, name.en, note?.zh ?? null, note?.en ?? null, lat, lng, PLACES_MAX]
      const [row] = await db.queryAs(PlaceRow, statements.ADD_PLACE, [by, ...values])
      return row ?? null
    },
    /** Null when there is none of that id. */
    changePlace: async (id: string, patch: PlacePatch, by: string): Promise<PlaceRow | null> => {
      const { kind = null, name, note, lat = null, lng = null } = patch
      const texts = [
        name?.zh ?? null,
        name?.en ?? null,
        note !== undefined,
        note?.zh ?? null,
        note?.en ?? null,
      ]
      const [row] = await db.queryAs(PlaceRow, statements.CHANGE_PLACE, [by, id, kind, ...texts, lat, lng])
      return row ?? null
    },
    deletePlace: async (id: string, by: string): Promise<boolean> =>
      (await db.queryAs(PlaceRow, statements.DELETE_PLACE, [by, id])).length > 0,
    /** Newest first; with `asOf` those that are still shown then. */
    notices: (asOf?: Date): Promise<NoticeRow[]> =>
      db.orm((orm) =>
        orm
          .select()
          .from(notices)
          .where(asOf === undefined ? undefined : or(isNull(notices.until), gt(notices.until, asOf)))
          .orderBy(desc(notices.at), notices.id),
      ),
    /** Null when there are as many as there may be. */
    addNotice: async ({ level, zh, en, until }: NewNotice, by: string): Promise<NoticeRow | null> => {
      const values = [level, zh, en, until, NOTICES_MAX]
      const [row] = await db.queryAs(NoticeRow, statements.ADD_NOTICE, [by, ...values])
      return row ?? null
    },
    /** Null when there is none of that id. */
    changeNotice: async (id: string, patch: NoticeChange, by: string): Promise<NoticeRow | null> => {
      const { level = null, zh = null, en = null, until } = patch
      const values = [level, zh, en, until !== undefined, until ?? null]
      const [row] = await db.queryAs(NoticeRow, statements.CHANGE_NOTICE, [by, id, ...values])
      return row ?? null
    },
    deleteNotice: async (id: string, by: string): Promise<boolean> =>
      (await db.queryAs(NoticeRow, statements.DELETE_NOTICE, [by, id])).length > 0,
    route: async (): Promise<RouteLines> => {
      const [row] = await db.orm((orm) => orm.select({ lines: route.lines }).from(route))
      return row?.lines ?? []
    },
    putRoute: async (lines: RouteLines, by: string): Promise<void> => {
      await db.queryAs(RouteRow, statements.PUT_ROUTE, [by, JSON.stringify(lines)])
    },
    deleteRoute: async (by: string): Promise<boolean> =>
      (await db.queryAs(RouteRow, statements.DELETE_ROUTE, [by])).length > 0,
  }
}

export type GuideStore = ReturnType<typeof guideStore>
