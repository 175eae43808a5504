import { expect, test } from 'bun:test'
import { requestIdOf } from './request-id.ts'

const of = (id: string) => requestIdOf(new Headers({ 'x-request-id': id }))

test('a valid id is kept', () => {
  for (const id of ['a', 'A-b_9', 'x'.repeat(64)]) expect(of(id)).toBe(id)
})

test('any other is replaced by a new, unique one', () => {
  const ids = ['', 'x'.repeat(65), 'a b', 'a, b', '<script>', 'a/b'].map(of)
  for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
  expect(new Set([...ids, requestIdOf(new Headers())]).size).toBe(ids.length + 1)
})
