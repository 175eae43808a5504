import { isUserId, UserId } from '@palanquin/domain/ids'
import { ApiError } from '@palanquin/service/http/api-error'
import { cursorsOf, type Page } from '@palanquin/service/http/paging'
import Type from 'typebox'
import { type Filter, isWanted } from './filter.ts'
import type { ParticipantItem, ParticipantRow } from './item.ts'
import type { ReadWithin } from './near.ts'
import { KEY_PATTERN, ORDERS, type OrderName } from './order.ts'
import { type PageQuery, Position, pageStatement, totalStatement } from './page-sql.ts'
import { type RowStores, readRows } from './rows.ts'
import type { FindUnregistered } from './unregistered.ts'

/** Searching a tenth of 300,000 participants takes a second on a busy machine. */
const DEADLINE_MS = 8_000
/** Rows of a download in memory at a time. */
const BATCH_ROWS = 1_000

const Total = Type.Object({ total: Type.Integer() })

export type ListStores = RowStores & { findUnregistered: FindUnregistered; readWithin: ReadWithin }
export type Wanted = { filter: Filter; order: OrderName; isDescending: boolean; requestId: string }
type WantedPage = Wanted & { limit: number; cursor: string | undefined }
type WantedWithIds = Wanted & { unregistered: readonly string[] }

const cursors = ({ order, isDescending }: Wanted) =>
  cursorsOf(
    `people ${isDescending ? '-' : ''}${order}`,
    Type.Object({ key: Type.String({ pattern: KEY_PATTERN[ORDERS[order].type] }), userId: UserId }),
  )

/** A page of the list; an ApiError for a cursor of another order. @throws StoreUnavailable */
export async function listParticipants(
  stores: ListStores,
  { limit, cursor, ...query }: WantedPage,
): Promise<Page<ParticipantItem> | ApiError> {
  const positions = cursors(query)
  const after = positions.decode(cursor)
  if (after instanceof ApiError) return after
  const wanted = await withUnregistered(stores, query)
  const [positioned, total] = await Promise.all([
    readPositions(stores, { ...wanted, after, count: limit + 1 }),
    readTotal(stores, wanted),
  ])
  const shown = positioned.slice(0, limit)
  const last = shown.at(-1)
  return {
    items: (await readPageRows(stores, wanted, shown)).map(({ item }) => item),
    nextCursor: last && positioned.length > limit ? positions.encode(last) : null,
    total,
  }
}

/** All matching participants, page by page. */
export async function* allParticipants(stores: ListStores, query: Wanted): AsyncGenerator<ParticipantRow[]> {
  const wanted = await withUnregistered(stores, query)
  let after: Position | null = null
  for (;;) {
    const positioned: Position[] = await readPositions(stores, { ...wanted, after, count: BATCH_ROWS })
    yield await readPageRows(stores, wanted, positioned)
    after = positioned.at(-1) ?? null
    if (after === null || positioned.length < BATCH_ROWS) return
  }
}

/** A search for a whole user id finds it in the buffer even before the map has seen it. */
async function withUnregistered({ findUnregistered }: ListStores, wanted: Wanted): Promise<WantedWithIds> {
  const { q } = wanted.filter
  return { ...wanted, unregistered: await findUnregistered(isUserId(q) ? q : undefined) }
}

async function readPositions({ db, levelKm }: ListStores, page: PageQuery): Promise<Position[]> {
  const { text, parameters } = pageStatement(page, levelKm)
  return db.queryAs(Position, text, parameters, { deadlineMs: DEADLINE_MS })
}

async function readTotal(
  { db, levelKm }: ListStores,
  { filter, unregistered }: WantedWithIds,
): Promise<number> {
  const { text, parameters } = totalStatement(filter, { unregistered, levelKm })
  const [row] = await db.queryAs(Total, text, parameters, { deadlineMs: DEADLINE_MS })
  return row?.total ?? 0
}

/** Order and filter go by what is stored; buffered check-ins may move an item within the page. */
async function readPageRows(
  stores: ListStores,
  { filter, order, isDescending, unregistered, requestId }: WantedWithIds,
  positions: readonly Position[],
): Promise<ParticipantRow[]> {
  const userIds = positions.map(({ userId }) => userId)
  const all = await readRows(stores, userIds, { unregistered, requestId })
  const rows = all.filter(({ item }) => isWanted(filter, item))
  const shownKey = SHOWN_KEYS[order]
  const sign = isDescending ? -1 : 1
  if (shownKey) rows.sort((a, b) => sign * (shownKey(a.item) - shownKey(b.item)))
  return rows
}

/** Displayed keys of the orders that buffered check-ins change. */
const SHOWN_KEYS: Partial<Record<OrderName, (item: ParticipantItem) => number>> = {
  checkins: ({ checkins }) => checkins,
  lastSeen: ({ lastSeenAt }) => Date.parse(lastSeenAt ?? '') || 0,
}
