import { type BoundingBox, boxContains } from '@palanquin/domain/geo'
import { cellIndex } from '@palanquin/domain/grid'
import type { GridCell, LivePosition } from './live-position.ts'

/** Cells of some 600 metres: a crowd of 100,000 on its way fills a few thousand of them. */
const ZOOM = 14
/** More cells than there are from west to east, so that both indices fit one number. */
const STRIDE = 2 ** 24

const keyOf = (row: number, column: number): number => row * STRIDE + column

/**
 * Positions by cell, so that a box costs the cells that it touches: without it 900 maps, each with its own box, scanned
 * 100,000 positions each, every second.
 */
export function createPositionGrid() {
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

  /** Visits every cell that touches the box, and says whether the cell lies inside it. */
  const touching = (box: BoundingBox, visit: (cell: GridCell, isInside: boolean) => void): void => {
    const { west, south, east, north } = edgesOf(box)
    const crosses = box.west > box.east
    const visitIfTouching = (cell: GridCell): void => {
      const { row, column } = cell
      if (row < south || row > north) return
      if (crosses ? column < west && column > east : column < west || column > east) return
      const isBetween = crosses ? column > west || column < east : column > west && column < east
      visit(cell, row > south && row < north && isBetween)
    }
    const cellsInRange = crosses ? Number.POSITIVE_INFINITY : (north - south + 1) * (east - west + 1)
    if (cellsInRange > cells.size) {
      for (const cell of cells.values()) visitIfTouching(cell)
      return
    }
    for (let row = south; row <= north; row++)
      for (let column = west; column <= east; column++) {
        const cell = cells.get(keyOf(row, column))
        if (cell) visitIfTouching(cell)
      }
  }

  return {
    /** Moves a position to the cell of its place. */
    place,
    remove,
    /** Sets whether the public may see a position. */
    setPublic: (position: LivePosition, isPublic: boolean): void => {
      if (position.isPublic === isPublic) return
      position.isPublic = isPublic
      if (position.cell) position.cell.publicCount += isPublic ? 1 : -1
    },
    /** The positions inside a box, its edges included; `includeHidden` adds those that the public may not see. */
    inBox: (box: BoundingBox, { includeHidden }: { includeHidden: boolean }): LivePosition[] => {
      const found: LivePosition[] = []
      touching(box, ({ members }, isInside) => {
        for (const one of members)
          if ((includeHidden || one.isPublic) && (isInside || boxContains(box, one.lat, one.lng)))
            found.push(one)
      })
      return found
    },
    /** How many positions `inBox` would give. */
    countIn: (box: BoundingBox, { includeHidden }: { includeHidden: boolean }): number => {
      let count = 0
      touching(box, ({ members, publicCount }, isInside) => {
        if (isInside) count += includeHidden ? members.size : publicCount
        else
          for (const one of members)
            if ((includeHidden || one.isPublic) && boxContains(box, one.lat, one.lng)) count++
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
