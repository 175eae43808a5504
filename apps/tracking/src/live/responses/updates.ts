import { SHARD_COUNT } from '@palanquin/domain/ids'
import type { Change, ParticipantState } from '../positions/change-log.ts'
import {
  ALL_STREAM_STARTS,
  type Cursor,
  type EntryNumber,
  isAfter,
  STREAM_START,
} from '../positions/cursor.ts'
import type { LivePosition } from '../positions/live-position.ts'
import { type Filter, type MapQuery, matcherOf, type Selection, totalOf, type View } from './selection.ts'

/** What happened after a cursor, for any filter. */
export type Updates = {
  since: Cursor
  cursor: Cursor
  moved: readonly LivePosition[]
  changes: readonly Change[]
}

/** Who moved, appeared or left after a cursor; null where that is unknown and the reader needs a reset. */
export function updatesSince(view: View, since: Cursor): Updates | null {
  const changes = changesSince(view, since)
  if (changes === null) return null
  const { map } = view
  const cursor = laterCursor(since, map.cursor())
  const moved: LivePosition[] = []
  for (let shard = 0; shard < SHARD_COUNT; shard++)
    for (const position of map.movedSince(shard, since.shards[shard] ?? STREAM_START)) moved.push(position)
  return { since, cursor, moved, changes }
}

/** The updates that match a filter. */
export function deltaOf(
  { map }: View,
  { cursor, moved, changes }: Updates,
  { box, includeHidden }: Filter,
): Selection {
  const matches = matcherOf({ box, includeHidden })
  const positions = new Set<LivePosition>()
  for (const position of moved) if (matches(position)) positions.add(position)
  const { appeared, removed } = splitChanges(changes, includeHidden)
  for (const position of appeared) if (matches(position)) positions.add(position)
  return {
    positions: [...positions],
    cursor,
    total: totalOf(map, { box, includeHidden }),
    removed: withoutPresent(removed, positions),
  }
}

/** At most `limit` positions in the order of their movements, after the cursor if one is given. Null as with `updatesSince`. */
export function pageOf(view: View, { since, limit, box, includeHidden }: MapQuery): Selection | null {
  const changes = since ? changesSince(view, since) : []
  if (changes === null) return null
  const { map } = view
  const matches = matcherOf({ box, includeHidden })
  const now = map.cursor()
  const { appeared, removed } = splitChanges(changes, includeHidden)
  const positions = new Set<LivePosition>()
  const most = limit ?? Number.POSITIVE_INFINITY
  const shards: EntryNumber[] = [...(since?.shards ?? ALL_STREAM_STARTS)]
  // Those who appeared come with the first page, beyond its limit: the cursor has no place among the changes.
  for (const position of appeared) if (matches(position)) positions.add(position)
  const page = (): Selection => ({
    positions: [...positions],
    cursor: { shards, changes: now.changes },
    total: totalOf(map, { box, includeHidden }),
    ...(since ? { removed: withoutPresent(removed, positions) } : {}),
  })
  for (let shard = 0; shard < SHARD_COUNT; shard++) {
    for (const position of map.movedSince(shard, shards[shard] ?? STREAM_START)) {
      if (!matches(position)) continue
      if (positions.size >= most) return page()
      positions.add(position)
      shards[shard] = position.movedAt
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
  for (const position of map.all()) {
    const changedAt = participants.get(position.userId)?.changedAt
    if (changedAt !== undefined) yield { position, changedAt }
  }
}

/** Changes by what they mean for a reader: for an administrator only the erased and joined devices leave the map. */
function splitChanges(
  changes: readonly Change[],
  includeHidden: boolean,
): { appeared: LivePosition[]; removed: ReadonlySet<string> } {
  const appeared: LivePosition[] = []
  const removed = new Set<string>()
  for (const { id, position, hasMoved } of changes) {
    if (position === null || (!includeHidden && !position.isPublic)) removed.add(id)
    else if (!includeHidden || hasMoved) appeared.push(position)
  }
  return { appeared, removed }
}

/** A participant who was erased and registered again has the same pseudonym, and is not removed. */
function withoutPresent(removed: ReadonlySet<string>, positions: ReadonlySet<LivePosition>): string[] {
  if (removed.size === 0) return []
  const left = new Set(removed)
  for (const { id } of positions) left.delete(id)
  return [...left]
}

/** A cursor from before Redis lost its data may be ahead of this process: it never moves back. */
const laterEntry = (a: EntryNumber = STREAM_START, b: EntryNumber = STREAM_START): EntryNumber =>
  isAfter(a, b) ? a : b
const laterCursor = (since: Cursor, now: Cursor): Cursor => ({
  shards: now.shards.map((entry, shard) => laterEntry(since.shards[shard], entry)),
  changes: now.changes,
})
