import { isUserId, UserId } from '@palanquin/domain/ids'
import { ApiError } from '@palanquin/service/http/api-error'
import { cursorsOf, type Page } from '@palanquin/service/http/paging'
import Type from 'typebox'
import { profileOf } from '../../participants/assemble-profile.ts'
import { readSnapshots } from '../../participants/snapshot.ts'
import type { StatisticsCache } from '../../participants/statistics-cache.ts'
import { type ParticipantRecord, type RecordStores, readRecords } from '../participant-record.ts'
import { type Filter, isWanted } from './filter.ts'
import { type ParticipantItem, participantItem } from './item.ts'
import { KEY_PATTERN, ORDERS, type OrderName } from './order.ts'
import { type PageQuery, type Position, pageStatement, totalStatement } from './page-sql.ts'
import type { FindUnregistered } from './unregistered.ts'

/** Searching a tenth of 300,000 people in an order of their tracks takes a second on a busy machine. */
const DEADLINE_MS = 8_000
/** Rows of a download that are in memory at once. */
const ROWS_AT_ONCE = 1_000

export type ListStores = RecordStores & { cache: StatisticsCache; strangers: FindUnregistered }
export type Wanted = { filter: Filter; order: OrderName; isDescending: boolean }
export type WantedPage = Wanted & { limit: number; cursor: string | undefined }

const cursors = ({ order, isDescending }: Wanted) =>
  cursorsOf(
    `people ${isDescending ? '-' : ''}${order}`,
    Type.Object({ key: Type.String({ pattern: KEY_PATTERN[ORDERS[order].type] }), userId: UserId }),
  )

/** A page of the list; a Refusal for a cursor that is not of this order. @throws StoreUnavailable */
export async function listParticipants(
  people: ListStores,
  wanted: WantedPage,
): Promise<Page<ParticipantItem> | ApiError> {
  const { limit, filter } = wanted
  const positions = cursors(wanted)
  const after = positions.decode(wanted.cursor)
  if (after instanceof ApiError) return after
  const strangers = await people.strangers()
  const [positioned, total, newcomer] = await Promise.all([
    readKeys(people, { ...wanted, after, count: limit + 1, strangers }),
    readTotal(people, filter, strangers),
    after === null ? readNewcomer(people, filter, strangers) : null,
  ])
  const shown = positioned.slice(0, limit)
  const last = shown.at(-1)
  const items = (await readItems(people, { ...wanted, strangers }, shown)).map(participantItem)
  return {
    items: newcomer ? [newcomer, ...items] : items,
    nextCursor: last && positioned.length > limit ? positions.encode(last) : null,
    total: total + (newcomer ? 1 : 0),
  }
}

/** Everybody who matches, page after page. */
export async function* allParticipants(
  people: ListStores,
  wanted: Wanted,
): AsyncGenerator<ParticipantItem[]> {
  const strangers = await people.strangers()
  let after: Position | null = null
  for (;;) {
    const positioned: Position[] = await readKeys(people, {
      ...wanted,
      after,
      count: ROWS_AT_ONCE,
      strangers,
    })
    yield (await readItems(people, { ...wanted, strangers }, positioned)).map(participantItem)
    after = positioned.at(-1) ?? null
    if (after === null || positioned.length < ROWS_AT_ONCE) return
  }
}

async function readKeys({ db, levelKm }: ListStores, keys: PageQuery): Promise<Position[]> {
  const { text, parameters } = pageStatement(keys, levelKm)
  return db.query<Position>(text, parameters, { deadlineMs: DEADLINE_MS })
}

async function readTotal(
  { db, levelKm }: ListStores,
  filter: Filter,
  strangers: readonly string[],
): Promise<number> {
  const { text, parameters } = totalStatement(filter, { strangers, levelKm })
  const [row] = await db.query<{ total: number }>(text, parameters, { deadlineMs: DEADLINE_MS })
  return row?.total ?? 0
}

/**
 * The people of these positions. The order and the filter go by what is stored; check-ins that still wait in the
 * buffer may move somebody within the page, or out of what was asked for.
 */
async function readItems(
  people: ListStores,
  { filter, order, isDescending, strangers }: Wanted & { strangers: readonly string[] },
  positions: readonly Position[],
): Promise<ParticipantRecord[]> {
  const all = await readRecords(
    people,
    positions.map(({ userId }) => userId),
    strangers,
  )
  const members = all.filter(({ profile }) => isWanted(filter, profile))
  const shownKey = SHOWN_KEYS[order]
  if (!shownKey) return members
  const sign = isDescending ? -1 : 1
  return members.sort((a, b) => sign * (shownKey(a) - shownKey(b)))
}

/** Of the orders by what the buffer changes: the number that is shown. */
const SHOWN_KEYS: Partial<Record<OrderName, (member: ParticipantRecord) => number>> = {
  checkins: ({ profile }) => profile.checkins,
  lastSeen: ({ profile }) => Date.parse(profile.lastSeenAt ?? '') || 0,
}

/**
 * Somebody of whom nothing is stored yet, and of whom tracking did not tell: the buffer cannot be searched, but a whole
 * user id can be looked up in it.
 */
async function readNewcomer(
  { db, cache, levelKm }: ListStores,
  filter: Filter,
  strangers: readonly string[],
): Promise<ParticipantItem | null> {
  const userId = filter.q
  if (!isUserId(userId) || strangers.includes(userId)) return null
  const readState = await cache.readState(userId)
  if (!readState?.isBuffered) return null
  const { pending, isBuffered } = readState
  const known = (await readSnapshots(db, [{ userId, pending }])).get(userId)
  if (!known || known.snapshot.participant || known.snapshot.track) return null
  const { snapshot, staffFields } = known
  const { pendingCheckins } = snapshot
  const profile = profileOf(userId, { snapshot, pending, pendingCheckins, isBuffered, levelKm })
  return profile && isWanted(filter, profile) ? participantItem({ profile, staffFields, snapshot }) : null
}
