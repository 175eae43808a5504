import { type BoundingBox, boxContains } from '@palanquin/domain/geo'
import type { Participants } from '../../access/participants.ts'
import type { Cursor } from '../positions/cursor.ts'
import type { LiveMap } from '../positions/live-map.ts'
import type { LivePosition } from '../positions/live-position.ts'

/** What a client asks for. Without `limit` everything that matches; without `since` the whole map. */
export type MapQuery = {
  box: BoundingBox | null
  since: Cursor | null
  limit: number | null
  /** Whether participants who are not public are included, and everyone's `userId`: for administrators. */
  includeHidden: boolean
}

/** The positions of a response, the cursor to continue from, and how many positions the box has in all. */
export type Selection = {
  positions: readonly LivePosition[]
  cursor: Cursor
  total: number
  /** Pseudonyms that a delta takes off the map; undefined in a snapshot. */
  removed?: readonly string[]
  /** A whole map in response to a cursor: it replaces what the reader has. */
  reset?: true
}

export type View = { map: LiveMap; participants: Pick<Participants, 'get'> }

export type Filter = Pick<MapQuery, 'box' | 'includeHidden'>

/** The whole map, or all of a box. */
export function snapshotOf({ map }: View, { box, includeHidden }: Filter): Selection {
  const cursor = map.cursor()
  if (box) {
    const positions = map.grid.inBox(box, { includeHidden })
    return { positions, cursor, total: positions.length }
  }
  const positions: LivePosition[] = []
  for (const position of map.all()) if (includeHidden || position.isPublic) positions.push(position)
  return { positions, cursor, total: positions.length }
}

/** The whole map in response to a cursor: nothing is `removed` from what is to be replaced. */
export const resetTo = (selection: Selection): Selection => ({ ...selection, removed: [], reset: true })

/** Whether a position matches a filter. */
export const matcherOf =
  ({ box, includeHidden }: Filter) =>
  ({ isPublic, lat, lng }: LivePosition): boolean =>
    (includeHidden || isPublic) && (box === null || boxContains(box, lat, lng))

/** How many positions match a filter, moved or not. */
export const totalOf = (map: LiveMap, { box, includeHidden }: Filter): number =>
  box ? map.grid.countIn(box, { includeHidden }) : map.count({ includeHidden })
