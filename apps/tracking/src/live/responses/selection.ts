import { type BoundingBox, boxContains } from '@palanquin/domain/geo'
import type { ParticipantColumns } from '../../access/participant-columns.ts'
import type { Cursor } from '../positions/cursor.ts'
import type { LiveMap } from '../positions/live-map.ts'
import { SHOWN } from '../positions/position-columns.ts'

/** What a client asks for. Without `limit` everything that matches; without `since` the whole map. */
export type MapQuery = {
  box: BoundingBox | null
  since: Cursor | null
  limit: number | null
  /** Whether participants who are not public are included, and everyone's `userId`: for administrators. */
  includeHidden: boolean
}

/** The positions of a response by slot, the cursor to continue from, and how many positions the box has in all. */
export type Selection = {
  slots: ArrayLike<number>
  cursor: Cursor
  total: number
  /** Pseudonyms that a delta takes off the map; undefined in a snapshot. */
  removed?: readonly string[]
  /** A whole map in response to a cursor: it replaces what the reader has. */
  reset?: true
}

/** Both by the same slots. */
export type View = { map: LiveMap; participants: ParticipantColumns }

export type Filter = Pick<MapQuery, 'box' | 'includeHidden'>

/** The whole map, or all of a box. */
export function snapshotOf({ map }: View, { box, includeHidden }: Filter): Selection {
  const cursor = map.cursor()
  if (box) {
    const slots = map.slots.grid.inBox(box, { includeHidden })
    return { slots, cursor, total: slots.length }
  }
  const slots = new Uint32Array(map.slots.count({ includeHidden }))
  let total = 0
  for (const slot of map.slots.all())
    if (includeHidden || map.columns.shows(slot, SHOWN.public)) slots[total++] = slot
  return { slots, cursor, total }
}

/** The whole map in response to a cursor: nothing is `removed` from what is to be replaced. */
export const resetTo = (selection: Selection): Selection => ({ ...selection, removed: [], reset: true })

/** Whether the position of a slot matches a filter. */
export const matcherOf =
  ({ map: { columns } }: View, { box, includeHidden }: Filter) =>
  (slot: number): boolean =>
    (includeHidden || columns.shows(slot, SHOWN.public)) &&
    (box === null || boxContains(box, columns.lat[slot] ?? 0, columns.lng[slot] ?? 0))

/** How many positions match a filter, moved or not. */
export const totalOf = (map: LiveMap, { box, includeHidden }: Filter): number =>
  box ? map.slots.grid.countIn(box, { includeHidden }) : map.slots.count({ includeHidden })
