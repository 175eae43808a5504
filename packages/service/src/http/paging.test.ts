import { expect, test } from 'bun:test'
import Type from 'typebox'
import { ApiError } from './api-error.ts'
import { cursorsOf, PageOf, pageOf, pageQuery } from './paging.ts'
import { text } from './standard-schema.ts'

const Position = Type.Tuple([Type.Number(), Type.String()])
const cursors = cursorsOf('walks by distance', Position)

const refused = (outcome: unknown): string => {
  if (outcome instanceof ApiError) return outcome.message
  throw new Error(`not refused: ${JSON.stringify(outcome)}`)
}

test('a position comes back exactly: every digit of a number, every character of a name', () => {
  for (const position of [
    [0.1 + 0.2, 'U1'],
    [-1.7976931348623157e308, ''],
    [5e-324, '媽祖 𠮷 👨‍👩‍👧 "quoted", \\ and\nmore'],
  ] as [number, string][])
    expect(cursors.decode(cursors.encode(position))).toEqual(position)
  expect(cursors.decode(undefined)).toBeNull()
})

test('a cursor that was changed in any one character, cut or made up is refused by its name', () => {
  const good = cursors.encode([12.5, 'U1'])
  const changed = Array.from(good, (character, at) => {
    const other = character === 'A' ? 'B' : 'A'
    return good.slice(0, at) + other + good.slice(at + 1)
  })
  for (const bad of [...changed, good.slice(0, -1), `${good}=`, ` ${good}`, 'x', '', '媽祖', 'null'])
    expect(refused(cursors.decode(bad))).toStartWith('cursor: ')
})

test('a cursor of another list, another order or another form is refused', () => {
  const others = [
    cursorsOf('walks by name', Position).encode([12.5, 'U1']),
    cursorsOf('walks by distance', Type.Array(Type.String())).encode(['12.5', 'U1']),
  ]
  for (const other of others) expect(refused(cursors.decode(other))).toStartWith('cursor: ')
})

test('there is a next page exactly when one row more was found than the page holds', () => {
  const page = (rows: number[]) =>
    pageOf(rows, { limit: 2, total: 9, item: (row) => ({ row }), cursor: (last) => `behind ${last}` })
  expect(page([])).toEqual({ items: [], nextCursor: null, total: 9 })
  expect(page([1, 2])).toEqual({ items: [{ row: 1 }, { row: 2 }], nextCursor: null, total: 9 })
  expect(page([1, 2, 3])).toEqual({ items: [{ row: 1 }, { row: 2 }], nextCursor: 'behind 2', total: 9 })
  expect(PageOf(Type.String()).properties.items.type).toBe('array')
})

test('limit is a whole number from 1 to 1000, and anything else is refused by its name', () => {
  const { validate } = text(Type.Object(pageQuery))['~standard']
  expect(validate({ limit: '1' }).value).toEqual({ limit: 1 })
  expect(validate({ limit: '1000' }).value).toEqual({ limit: 1000 })
  for (const limit of ['0', '1001', '-1', 'ten', '', '1e9', 'NaN', '5 or 6', '1.5'])
    expect(() => validate({ limit })).toThrow(/^limit: expected a whole number between 1 and 1000/)
  expect(() => validate({ cursor: '' })).toThrow(/^cursor: expected /)
})
