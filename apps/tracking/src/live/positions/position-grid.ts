import { type BoundingBox, boxContains } from '@palanquin/domain/geo'
import { cellIndex } from '@palanquin/domain/grid'
import { type PositionColumns, SHOWN } from './position-columns.ts'

/** Cells of some 600 metres: a crowd of 100,000 on its way fills a few thousand of them. */
const ZOOM = 14
/** More cells than there are from west to east, so that both indices fit one number. */
const STRIDE = 2 ** 24
const NONE = 0

/** The slots of a cell are a list through the columns; `first` and `last` are slots plus 1, 0 for none. */
type Cell = {
  readonly row: number
  readonly column: number
  readonly number: number
  first: number
  last: number
  count: number
  publicCount: number
}

const keyOf = (row: number, column: number): number => row * STRIDE + column

/**
 * Positions by cell, so that a box costs the cells that it touches: without it 900 maps, each with its own box, scanned
 * 100,000 positions each, every second.
 */
export class PositionGrid {
  readonly #columns: PositionColumns
  readonly #cells = new Map<number, Cell>()
  /** By their numbers. */
  readonly #numbered: (Cell | undefined)[] = [undefined]
  readonly #freeNumbers: number[] = []

  constructor(columns: PositionColumns) {
    this.#columns = columns
  }

  /** Moves a slot to the cell of its place. */
  place(slot: number): void {
    const row = cellIndex(this.#columns.lat[slot] ?? 0, ZOOM)
    const column = cellIndex(this.#columns.lng[slot] ?? 0, ZOOM)
    const before = this.#cellOf(slot)
    if (before?.row === row && before.column === column) return
    this.remove(slot)
    this.#append(slot, this.#cellAt(row, column))
  }

  remove(slot: number): void {
    const cell = this.#cellOf(slot)
    if (!cell) return
    const { nextInCell, previousInCell } = this.#columns
    const [next, previous] = [nextInCell[slot] ?? NONE, previousInCell[slot] ?? NONE]
    if (previous === NONE) cell.first = next
    else nextInCell[previous - 1] = next
    if (next === NONE) cell.last = previous
    else previousInCell[next - 1] = previous
    this.#columns.cell[slot] = nextInCell[slot] = previousInCell[slot] = NONE
    if (this.#columns.shows(slot, SHOWN.public)) cell.publicCount--
    if (--cell.count > 0) return
    this.#cells.delete(keyOf(cell.row, cell.column))
    this.#numbered[cell.number] = undefined
    this.#freeNumbers.push(cell.number)
  }

  /** Sets what the public may see of a slot, in bits of `SHOWN`. */
  setShown(slot: number, shown: number): void {
    const wasPublic = this.#columns.shows(slot, SHOWN.public)
    this.#columns.shown[slot] = shown
    const cell = this.#cellOf(slot)
    if (cell) cell.publicCount += Number(this.#columns.shows(slot, SHOWN.public)) - Number(wasPublic)
  }

  /** The slots inside a box, its edges included; `includeHidden` adds those that the public may not see. */
  inBox(box: BoundingBox, { includeHidden }: { includeHidden: boolean }): number[] {
    const found: number[] = []
    this.#touching(box, (cell, isInside) => {
      for (let one = cell.first; one !== NONE; one = this.#columns.nextInCell[one - 1] ?? NONE)
        if (this.#matches(one - 1, box, isInside, includeHidden)) found.push(one - 1)
    })
    return found
  }

  /** How many slots `inBox` would give. */
  countIn(box: BoundingBox, { includeHidden }: { includeHidden: boolean }): number {
    let count = 0
    this.#touching(box, (cell, isInside) => {
      if (isInside) count += includeHidden ? cell.count : cell.publicCount
      else
        for (let one = cell.first; one !== NONE; one = this.#columns.nextInCell[one - 1] ?? NONE)
          if (this.#matches(one - 1, box, isInside, includeHidden)) count++
    })
    return count
  }

  /** Occupied cells. */
  size(): number {
    return this.#cells.size
  }

  #matches(slot: number, box: BoundingBox, isInside: boolean, includeHidden: boolean): boolean {
    const { lat, lng } = this.#columns
    if (!includeHidden && !this.#columns.shows(slot, SHOWN.public)) return false
    return isInside || boxContains(box, lat[slot] ?? 0, lng[slot] ?? 0)
  }

  #cellOf(slot: number): Cell | undefined {
    return this.#numbered[this.#columns.cell[slot] ?? NONE]
  }

  #cellAt(row: number, column: number): Cell {
    const key = keyOf(row, column)
    const known = this.#cells.get(key)
    if (known) return known
    const number = this.#freeNumbers.pop() ?? this.#numbered.length
    const cell = { row, column, number, first: NONE, last: NONE, count: 0, publicCount: 0 }
    this.#cells.set(key, cell)
    this.#numbered[number] = cell
    return cell
  }

  #append(slot: number, cell: Cell): void {
    const { nextInCell, previousInCell } = this.#columns
    previousInCell[slot] = cell.last
    if (cell.last === NONE) cell.first = slot + 1
    else nextInCell[cell.last - 1] = slot + 1
    cell.last = slot + 1
    this.#columns.cell[slot] = cell.number
    cell.count++
    if (this.#columns.shows(slot, SHOWN.public)) cell.publicCount++
  }

  /** Visits every cell that touches the box, and says whether the cell lies inside it. */
  #touching(box: BoundingBox, visit: (cell: Cell, isInside: boolean) => void): void {
    const { west, south, east, north } = edgesOf(box)
    const crosses = box.west > box.east
    const visitIfTouching = (cell: Cell): void => {
      const { row, column } = cell
      if (row < south || row > north) return
      if (crosses ? column < west && column > east : column < west || column > east) return
      const isBetween = crosses ? column > west || column < east : column > west && column < east
      visit(cell, row > south && row < north && isBetween)
    }
    const cellsInRange = crosses ? Number.POSITIVE_INFINITY : (north - south + 1) * (east - west + 1)
    if (cellsInRange > this.#cells.size) {
      for (const cell of this.#cells.values()) visitIfTouching(cell)
      return
    }
    for (let row = south; row <= north; row++)
      for (let column = west; column <= east; column++) {
        const cell = this.#cells.get(keyOf(row, column))
        if (cell) visitIfTouching(cell)
      }
  }
}

const edgesOf = ({ west, south, east, north }: BoundingBox) => ({
  west: cellIndex(west, ZOOM),
  south: cellIndex(south, ZOOM),
  east: cellIndex(east, ZOOM),
  north: cellIndex(north, ZOOM),
})
