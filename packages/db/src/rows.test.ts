import { expect, test } from 'bun:test'
import Type from 'typebox'
import { checkRows, Nullable, Timestamp } from './rows.ts'

const Person = Type.Object({ phone: Type.String(), seenAt: Nullable(Timestamp) })

test('rows that fit their schema are given as they are', () => {
  const rows = [
    { phone: '0912345678', seenAt: new Date(0) },
    { phone: '', seenAt: null },
  ]
  expect(checkRows(Person, rows)).toEqual(rows)
})

test.each([
  ['a column of another type', { phone: 912345678, seenAt: null }],
  ['a column that is missing', { phone: '0912345678' }],
  ['a time as text', { phone: '0912345678', seenAt: '2026-05-01' }],
])('a row with %s is an error that names no value', (_, row) => {
  const check = () => checkRows(Person, [row])
  expect(check).toThrow(TypeError)
  expect(check).not.toThrow(/0?912345678/)
})
