import { expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { userHasher } from './hash-user.ts'

const ID = 'U4af4980629c1f0b8d3e5a7c6b9d0e1f2'

test('one person has one stand-in in all services, and another in another stack', () => {
  expect(userHasher('a token')(ID)).toMatch(/^[0-9a-f]{12}$/)
  expect(userHasher('a token')(ID)).toBe(userHasher('a token')(ID))
  expect(userHasher('another token')(ID)).not.toBe(userHasher('a token')(ID))
  expect(userHasher('a token')('U2')).not.toBe(userHasher('a token')(ID))
})

test('who has a log and guesses an id cannot check the guess by hashing it', () => {
  expect(userHasher('a token')(ID)).not.toBe(createHash('sha256').update(ID).digest('hex').slice(0, 12))
})

test('while the token is changed, the new one counts already', () => {
  expect(userHasher('new,old')(ID)).toBe(userHasher('new')(ID))
})
