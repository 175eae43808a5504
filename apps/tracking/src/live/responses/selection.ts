import { type BoundingBox, boxContains } from '@palanquin/domain/geo'
import { SHARD_COUNT } from '@palanquin/domain/ids'
import type { Participants } from '../../access/participants.ts'
import type { Change, State } from '../positions/change-log.ts'
import { BEGINNING, type Cursor, type EntryNumber, isPending, NOWHERE } from '../positions/cursor.ts'
import type { LiveMap } from '../positions/live-map.ts'
import type { LivePosition } from '../positions/live-position.ts'

/** What a caller asks for. Without `limit` everything that fits; without `since` the whole map. */
export type Question = {
  box: BoundingBox | null
  since: Cursor | null
  limit: number | null
  /** Whether everybody is shown, and by name and `userId`: for administrators. */
  whole: boolean
}

/** The positions of an answer, the cursor to go on from, and how many there are in the box in all. */
export type Selection = {
  positions: readonly LivePosition[]
  cursor: Cursor
  total: number
  /** Of a delta: whose positions are to be taken off the map; undefined in a snapshot. */
  removed?: readonly string[]
  /** It is the whole map although a delta was asked for: what the reader has is to be forgotten. */
  reset?: true
}

export type View = { map: LiveMap; participants: Pick<Participants, 'get'> }

/** The whole map, of a box if one is given. */
export function snapshotOf({ map }: View, { box, whole }: Pick<Question, 'box' | 'whole'>): Selection {
  const cursor = map.cursor()
  if (box) {
    const positions = map.grid.inBox(box, { whole })
    return { positions, cursor, total: positions.length }
  }
  const positions: LivePosition[] = []
  for (const position of map.all()) if (whole || position.isPublic) positions.push(position)
  return { positions, cursor, total: positions.length }
}

/** What a reader that stands at a cursor does not know yet, whatever it looks at. */
export type News = {
  since: Cursor
  cursor: Cursor
  moved: readonly LivePosition[]
  changes: readonly Change[]
}

/** Who moved, appeared or left behind a cursor; null where that cannot be told: the reader needs the whole map. */
export function newsSince(view: View, since: Cursor): News | null {
  const changes = changesSince(view, since)
  if (changes === null) return null
  const { map } = view
  const cursor = laterOf(since, map.cursor())
  const moved: LivePosition[] = []
  for (let shard = 0; shard < SHARD_COUNT; shard++)
    for (const position of map.movedSince(shard, since.shards[shard] ?? NOWHERE)) moved.push(position)
  return { since, cursor, moved, changes }
}

/** What of the news concerns one reader. */
export function deltaOf(
  { map }: View,
  { cursor, moved, changes }: News,
  { box, whole }: Pick<Question, 'box' | 'whole'>,
): Selection {
  const fits = fitsOf({ box, whole })
  const positions = new Set<LivePosition>()
  for (const position of moved) if (fits(position)) positions.add(position)
  const { appeared, removed } = partedBy(changes, whole)
  for (const position of appeared) if (fits(position)) positions.add(position)
  return {
    positions: [...positions],
    cursor,
    total: totalOf(map, { box, whole }),
    removed: withoutThose(removed, positions),
  }
}

/**
 * At most `limit` positions in the order in which they moved, from a cursor on or from the beginning, and a cursor that goes
 * on behind them. Null as with `newsSince`.
 */
export function pageOf(view: View, { since, limit, box, whole }: Question): Selection | null {
  const changes = since ? changesSince(view, since) : []
  if (changes === null) return null
  const { map } = view
  const fits = fitsOf({ box, whole })
  const now = map.cursor()
  const { appeared, removed } = partedBy(changes, whole)
  const positions = new Set<LivePosition>()
  const most = limit ?? Number.POSITIVE_INFINITY
  const shards: EntryNumber[] = [...(since?.shards ?? BEGINNING)]
  // Who appeared comes with the first page, whatever its limit: the changes are told at once.
  for (const position of appeared) if (fits(position)) positions.add(position)
  const done = (): Selection => ({
    positions: [...positions],
    cursor: { shards, seen: now.seen },
    total: totalOf(map, { box, whole }),
    ...(since ? { removed: withoutThose(removed, positions) } : {}),
  })
  for (let shard = 0; shard < SHARD_COUNT; shard++) {
    for (const position of map.movedSince(shard, shards[shard] ?? NOWHERE)) {
      if (!fits(position)) continue
      if (positions.size >= most) return done()
      positions.add(position)
      shards[shard] = position.movedAt
    }
    shards[shard] = later(shards[shard], now.shards[shard])
  }
  return done()
}

const fitsOf =
  ({ box, whole }: Pick<Question, 'box' | 'whole'>) =>
  ({ isPublic, lat, lng }: LivePosition): boolean =>
    (whole || isPublic) && (box === null || boxContains(box, lat, lng))

const totalOf = (map: LiveMap, { box, whole }: Pick<Question, 'box' | 'whole'>): number =>
  box ? map.grid.countIn(box, { whole }) : map.count(whole)

function changesSince(view: View, { seen }: Cursor): readonly Change[] | null {
  if (!seen) return null
  return view.map.changes.since(seen, () => statesOf(view))
}

/** Everybody whose position is known and who is registered. */
export function* statesOf({ map, participants }: View): Generator<State> {
  for (const position of map.all()) {
    const changedAt = participants.get(position.userId)?.changedAt
    if (changedAt !== undefined) yield { position, changedAt }
  }
}

/** Who is to be seen now of those whose state changed, and who is not any more. An administrator sees all but the erased. */
function partedBy(
  changes: readonly Change[],
  whole: boolean,
): { appeared: LivePosition[]; removed: ReadonlySet<string> } {
  const appeared: LivePosition[] = []
  const removed = new Set<string>()
  for (const { id, position } of changes) {
    if (position === null || (!whole && !position.isPublic)) removed.add(id)
    else if (!whole) appeared.push(position)
  }
  return { appeared, removed }
}

/** Who was erased and came back as somebody new has the same pseudonym. */
function withoutThose(removed: ReadonlySet<string>, positions: ReadonlySet<LivePosition>): string[] {
  if (removed.size === 0) return []
  const left = new Set(removed)
  for (const { id } of positions) left.delete(id)
  return [...left]
}

/** A cursor of before Redis lost its data may be ahead of what we have seen: it never goes back. */
const later = (a: EntryNumber = NOWHERE, b: EntryNumber = NOWHERE): EntryNumber => (isPending(a, b) ? a : b)
const laterOf = (since: Cursor, now: Cursor): Cursor => ({
  shards: now.shards.map((entry, shard) => later(since.shards[shard], entry)),
  seen: now.seen,
})
