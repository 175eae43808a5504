import { SHARD_COUNT } from '@palanquin/domain/ids'
import { NO_SLOT } from '../../people/people.ts'
import type { Change, ParticipantState } from '../positions/change-log.ts'
import {
  ALL_STREAM_STARTS,
  type Cursor,
  type EntryNumber,
  isAfter,
  STREAM_START,
} from '../positions/cursor.ts'
import { SHOWN } from '../positions/position-columns.ts'
import { type Filter, type MapQuery, matcherOf, type Selection, totalOf, type View } from './selection.ts'

/** What happened after a cursor, for any filter. */
export type Updates = {
  since: Cursor
  cursor: Cursor
  /** By slot. */
  moved: readonly number[]
  changes: readonly Change[]
}

/** Who moved, appeared or left after a cursor; null where that is unknown and the reader needs a reset. */
export function updatesSince(view: View, since: Cursor): Updates | null {
  const changes = changesSince(view, since)
  if (changes === null) return null
  const { map } = view
  const cursor = laterCursor(since, map.cursor())
  const moved: number[] = []
  for (let shard = 0; shard < SHARD_COUNT; shard++)
    for (const slot of map.movements.since(shard, since.shards[shard] ?? STREAM_START)) moved.push(slot)
  return { since, cursor, moved, changes }
}

/** The updates that match a filter. */
export function deltaOf(view: View, { cursor, moved, changes }: Updates, filter: Filter): Selection {
  const matches = matcherOf(view, filter)
  const slots = new Set<number>()
  for (const slot of moved) if (matches(slot)) slots.add(slot)
  const { appeared, removed } = splitChanges(view, changes, filter)
  for (const slot of appeared) if (matches(slot)) slots.add(slot)
  return {
    slots: [...slots],
    cursor,
    total: totalOf(view.map, filter),
    removed: withoutPresent(view, removed, slots),
  }
}

/** At most `limit` positions in the order of their movements, after the cursor if one is given. Null as with `updatesSince`. */
export function pageOf(view: View, { since, limit, box, includeHidden }: MapQuery): Selection | null {
  const changes = since ? changesSince(view, since) : []
  if (changes === null) return null
  const { map } = view
  const matches = matcherOf(view, { box, includeHidden })
  const now = map.cursor()
  const { appeared, removed } = splitChanges(view, changes, { includeHidden })
  const slots = new Set<number>()
  const most = limit ?? Number.POSITIVE_INFINITY
  const shards: EntryNumber[] = [...(since?.shards ?? ALL_STREAM_STARTS)]
  // Those who appeared come with the first page, beyond its limit: the cursor has no place among the changes.
  for (const slot of appeared) if (matches(slot)) slots.add(slot)
  const page = (): Selection => ({
    slots: [...slots],
    cursor: { shards, changes: now.changes },
    total: totalOf(map, { box, includeHidden }),
    ...(since ? { removed: withoutPresent(view, removed, slots) } : {}),
  })
  for (let shard = 0; shard < SHARD_COUNT; shard++) {
    for (const slot of map.movements.since(shard, shards[shard] ?? STREAM_START)) {
      if (!matches(slot)) continue
      if (slots.size >= most) return page()
      slots.add(slot)
      shards[shard] = map.movedAt(slot)
    }
    shards[shard] = laterEntry(shards[shard], now.shards[shard])
  }
  return page()
}

function changesSince(view: View, { changes }: Cursor): readonly Change[] | null {
  return changes && view.map.changes.since(changes, () => statesOf(view))
}

/** Registered participants with a known position. */
export function* statesOf({ map, participants }: View): Generator<ParticipantState> {
  for (const slot of map.slots.all())
    if (participants.hasSlot(slot)) yield { slot, changedAt: participants.changedAt(slot) }
}

/** Changes by what they mean for a reader: for an administrator only the erased and joined devices leave the map. */
function splitChanges(
  { map }: View,
  changes: readonly Change[],
  { includeHidden }: Pick<Filter, 'includeHidden'>,
): { appeared: number[]; removed: ReadonlySet<string> } {
  const appeared: number[] = []
  const removed = new Set<string>()
  for (const { id, slot, hasMoved } of changes) {
    if (slot === NO_SLOT || (!includeHidden && !map.columns.shows(slot, SHOWN.public))) removed.add(id)
    else {
      if (!includeHidden || hasMoved) appeared.push(slot)
      if (map.columns.pseudonymOf(slot) !== id) removed.add(id)
    }
  }
  return { appeared, removed }
}

/** Who left and is back under the same pseudonym is not removed. */
function withoutPresent({ map }: View, removed: ReadonlySet<string>, slots: ReadonlySet<number>): string[] {
  if (removed.size === 0) return []
  const left = new Set(removed)
  for (const slot of slots) left.delete(map.columns.pseudonymOf(slot))
  return [...left]
}

/** A cursor from before Redis lost its data may be ahead of this process: it never moves back. */
const laterEntry = (a: EntryNumber = STREAM_START, b: EntryNumber = STREAM_START): EntryNumber =>
  isAfter(a, b) ? a : b
const laterCursor = (since: Cursor, now: Cursor): Cursor => ({
  shards: now.shards.map((entry, shard) => laterEntry(since.shards[shard], entry)),
  changes: now.changes,
})
