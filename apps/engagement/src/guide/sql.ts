/** The audited writes of the guide: each changes its row and notes who did it in one statement. */

/** $1 is the caller's role; `detail` is built from the changed row. */
const audited = (change: string, { type, detail }: { type: string; detail: string }): string => `
WITH changed AS (
  ${change}
), audited AS (
  INSERT INTO engagement.audit (type, by, detail) SELECT '${type}', $1::text, ${detail} FROM changed
)
SELECT * FROM changed`

const PLACE = 'id, kind, name_zh, name_en, note_zh, note_en, lat, lng'
const PLACE_DETAIL = `jsonb_build_object('id', id, 'name', name_zh)`
const NOTICE = 'id, at, level, zh, en, until'
const NOTICE_DETAIL = `jsonb_build_object('id', id, 'level', level, 'zh', zh)`
const ROUTE_DETAIL = `jsonb_build_object('lines', jsonb_array_length(lines))`

/** Nothing is inserted, and no row comes back, once there are $9 places. */
export const ADD_PLACE = audited(
  `INSERT INTO engagement.places (kind, name_zh, name_en, note_zh, note_en, lat, lng)
  SELECT $2::text, $3::text, $4::text, $5::text, $6::text, $7::double precision, $8::double precision
  WHERE (SELECT count(*) FROM engagement.places) < $9::integer
  RETURNING ${PLACE}`,
  { type: 'place.added', detail: PLACE_DETAIL },
)

/** A null leaves the column as it is; $6 says whether the note is set. */
export const CHANGE_PLACE = audited(
  `UPDATE engagement.places SET
    kind = coalesce($3::text, kind),
    name_zh = coalesce($4::text, name_zh),
    name_en = coalesce($5::text, name_en),
    note_zh = CASE WHEN $6::boolean THEN $7::text ELSE note_zh END,
    note_en = CASE WHEN $6::boolean THEN $8::text ELSE note_en END,
    lat = coalesce($9::double precision, lat),
    lng = coalesce($10::double precision, lng)
  WHERE id = $2::uuid RETURNING ${PLACE}`,
  { type: 'place.changed', detail: PLACE_DETAIL },
)

export const DELETE_PLACE = audited(`DELETE FROM engagement.places WHERE id = $2::uuid RETURNING ${PLACE}`, {
  type: 'place.deleted',
  detail: PLACE_DETAIL,
})

/** Nothing is inserted, and no row comes back, once there are $6 notices. */
export const ADD_NOTICE = audited(
  `INSERT INTO engagement.notices (level, zh, en, until)
  SELECT $2::text, $3::text, $4::text, $5::timestamptz
  WHERE (SELECT count(*) FROM engagement.notices) < $6::integer
  RETURNING ${NOTICE}`,
  { type: 'notice.added', detail: NOTICE_DETAIL },
)

/** A null leaves the column as it is; $6 says whether the end is set. */
export const CHANGE_NOTICE = audited(
  `UPDATE engagement.notices SET
    level = coalesce($3::text, level),
    zh = coalesce($4::text, zh),
    en = coalesce($5::text, en),
    until = CASE WHEN $6::boolean THEN $7::timestamptz ELSE until END
  WHERE id = $2::uuid RETURNING ${NOTICE}`,
  { type: 'notice.changed', detail: NOTICE_DETAIL },
)

export const DELETE_NOTICE = audited(
  `DELETE FROM engagement.notices WHERE id = $2::uuid RETURNING ${NOTICE}`,
  { type: 'notice.deleted', detail: NOTICE_DETAIL },
)

export const PUT_ROUTE = audited(
  `INSERT INTO engagement.route (lines) VALUES ($2::text::jsonb)
  ON CONFLICT (only_one) DO UPDATE SET lines = excluded.lines, updated_at = now() RETURNING lines`,
  { type: 'route.changed', detail: ROUTE_DETAIL },
)

export const DELETE_ROUTE = audited('DELETE FROM engagement.route RETURNING lines', {
  type: 'route.deleted',
  detail: ROUTE_DETAIL,
})
