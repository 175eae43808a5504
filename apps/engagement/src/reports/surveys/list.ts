import { participants } from '@palanquin/db/schema/engagement'
import { UserId } from '@palanquin/domain/ids'
import { ApiError } from '@palanquin/service/http/api-error'
import { cursorsOf, type Page } from '@palanquin/service/http/paging'
import { isNotNull } from 'drizzle-orm'
import Type from 'typebox'
import { type RecordStores, readRecords } from '../../participants/record.ts'
import { KEY_PATTERN } from '../participants/order.ts'
import { Position } from '../participants/page-sql.ts'
import { type SurveyItem, type SurveyRow, surveyItem } from './item.ts'

/** Rows of a download in memory at a time. */
const BATCH_ROWS = 1_000

/** By the first submission, which never changes, so replaced answers move no item. */
const cursors = cursorsOf(
  'surveys by first submission',
  Type.Object({ key: Type.String({ pattern: KEY_PATTERN.timestamptz }), userId: UserId }),
)

const BEGINNING: Position = { key: '-infinity', userId: '' }

/** $1, $2: the position after which the page begins. */
export const SURVEY_PAGE = `
SELECT survey_first_at::text AS key, user_id AS "userId" FROM engagement.participants
WHERE survey_first_at IS NOT NULL AND (survey_first_at, user_id) > ($1::text::timestamptz, $2)
ORDER BY survey_first_at, user_id LIMIT $3`

/** A page of current answers; an ApiError for a foreign cursor. @throws StoreUnavailable */
export async function listSurveys(
  stores: RecordStores,
  { limit, cursor }: { limit: number; cursor: string | undefined },
): Promise<Page<SurveyItem> | ApiError> {
  const after = cursors.decode(cursor)
  if (after instanceof ApiError) return after
  const [positions, total] = await Promise.all([
    readPositions(stores, after ?? BEGINNING, limit + 1),
    stores.db.orm((orm) => orm.$count(participants, isNotNull(participants.surveyFirstAt))),
  ])
  const shown = positions.slice(0, limit)
  const last = shown.at(-1)
  return {
    items: (await readRows(stores, shown)).map(({ item }) => item),
    nextCursor: last && positions.length > limit ? cursors.encode(last) : null,
    total,
  }
}

/** All current answers, page by page. */
export async function* allSurveys(stores: RecordStores): AsyncGenerator<SurveyRow[]> {
  for (let after: Position | undefined = BEGINNING; after !== undefined; ) {
    const positions: Position[] = await readPositions(stores, after, BATCH_ROWS)
    yield await readRows(stores, positions)
    after = positions.length < BATCH_ROWS ? undefined : positions.at(-1)
  }
}

const readPositions = ({ db }: RecordStores, { key, userId }: Position, count: number) =>
  db.queryAs(Position, SURVEY_PAGE, [key, userId, count])

/** Carbon is that of `GET /user/{userId}`, so participants are read the same way. */
async function readRows(stores: RecordStores, positions: readonly Position[]): Promise<SurveyRow[]> {
  const members = await readRecords(
    stores,
    positions.map(({ userId }) => userId),
  )
  return members.map((record) => ({ item: surveyItem(record), language: record.profile.language }))
}
