import { type BoundingBox, boxContains } from '@palanquin/domain/geo'
import { cellIndex } from '@palanquin/domain/grid'
import type { GridCell, LivePosition } from './live-position.ts'

/** Cells of some 600 metres: a crowd of 100,000 on its way stands in a few thousand of them. */
const ZOOM = 14
/** More cells than there are from west to east, so that both indices fit one number. */
const STRIDE = 2 ** 24

export type PositionGrid = ReturnType<typeof positionGrid>

const keyOf = (row: number, column: number): number => row * STRIDE + column

/**
 * Which positions stand where, so that a box costs the cells that it touches and not everybody: without it each of 900
 * maps with a box of its own looked through 100,000 people a second.
 */
export function positionGrid() {
  const cells = new Map<number, GridCell>()

  const remove = (position: LivePosition): void => {
    const { cell } = position
    if (!cell) return
    cell.members.delete(position)
    if (position.isPublic) cell.publicCount--
    if (cell.members.size === 0) cells.delete(keyOf(cell.row, cell.column))
    position.cell = null
  }

  const place = (position: LivePosition): void => {
    const row = cellIndex(position.lat, ZOOM)
    const column = cellIndex(position.lng, ZOOM)
    if (position.cell?.row === row && position.cell.column === column) return
    remove(position)
    const key = keyOf(row, column)
    const cell = cells.get(key) ?? { row, column, members: new Set(), publicCount: 0 }
    cells.set(key, cell)
    cell.members.add(position)
    if (position.isPublic) cell.publicCount++
    position.cell = cell
  }

  /** Every cell that shares a place with the box, and whether it lies in it as a whole. */
  const touching = (box: BoundingBox, visit: (cell: GridCell, isWhole: boolean) => void): void => {
    const { west, south, east, north } = edgesOf(box)
    const crosses = box.west > box.east
    const look = (cell: GridCell): void => {
      const { row, column } = cell
      if (row < south || row > north) return
      if (crosses ? column < west && column > east : column < west || column > east) return
      const isInside = crosses ? column > west || column < east : column > west && column < east
      visit(cell, row > south && row < north && isInside)
    }
    const asked = crosses ? Number.POSITIVE_INFINITY : (north - south + 1) * (east - west + 1)
    if (asked > cells.size) {
      for (const cell of cells.values()) look(cell)
      return
    }
    for (let row = south; row <= north; row++)
      for (let column = west; column <= east; column++) {
        const cell = cells.get(keyOf(row, column))
        if (cell) look(cell)
      }
  }

  return {
    /** Takes a position to the cell of its place. */
    place,
    remove,
    /** Sets whether the public may see a position. */
    show: (position: LivePosition, isPublic: boolean): void => {
      if (position.isPublic === isPublic) return
      position.isPublic = isPublic
      if (position.cell) position.cell.publicCount += isPublic ? 1 : -1
    },
    /** The positions inside a box, its edges included; with `whole` also those that the public may not see. */
    inBox: (box: BoundingBox, { whole }: { whole: boolean }): LivePosition[] => {
      const found: LivePosition[] = []
      touching(box, ({ members }, isWhole) => {
        for (const one of members)
          if ((whole || one.isPublic) && (isWhole || boxContains(box, one.lat, one.lng))) found.push(one)
      })
      return found
    },
    /** How many that are. */
    countIn: (box: BoundingBox, { whole }: { whole: boolean }): number => {
      let count = 0
      touching(box, ({ members, publicCount }, isWhole) => {
        if (isWhole) count += whole ? members.size : publicCount
        else
          for (const one of members)
            if ((whole || one.isPublic) && boxContains(box, one.lat, one.lng)) count++
      })
      return count
    },
    /** Occupied cells. */
    size: (): number => cells.size,
  }
}

const edgesOf = ({ west, south, east, north }: BoundingBox) => ({
  west: cellIndex(west, ZOOM),
  south: cellIndex(south, ZOOM),
  east: cellIndex(east, ZOOM),
  north: cellIndex(north, ZOOM),
})
