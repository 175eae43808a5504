import { expect, setDefaultTimeout, test } from 'bun:test'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { slowPatterns } from './patterns.ts'
import { readSources } from './sources.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const source = (text: string) => ({ file: 'apps/media/src/a.ts', text })

test('no regular expression of the sources takes longer than in proportion to its text', () => {
  const sources = readSources()
  expect(sources.length).toBeGreaterThan(100)
  expect(slowPatterns(sources)).toEqual([])
})

test.each([
  [
    'a repeat before an end that is anchored nowhere',
    `export const a = (text: string) => text.replace(/=+$/, '')`,
  ],
  ['the same as a text', `export const a: RegExp = new RegExp('[ab]+$')`],
  ['two repeats that can share a text', String.raw`const DECIMAL = /^(\d+\.?\d*)$/; export { DECIMAL }`],
  ['a repeat of a repeat', 'export const a = /^(?:a+b?)+$/'],
  ['a slow pattern of a schema', `export const Url = Type.String({ pattern: '^https://[a-z]+[a-z.]*$' })`],
])('the check catches %s', (_, text) => {
  expect(slowPatterns([source(text)])).toHaveLength(1)
})

test.each([
  ['a repeat that is anchored at the start', `export const a = /^[A-Za-z0-9+/]+={0,2}$/`],
  ['a bounded repeat before an end', String.raw`export const a = /:\d{1,5}$/`],
  ['repeats that a character keeps apart', String.raw`export const a = /^\d+(?:\.\d*)?$/`],
])('the check lets %s pass', (_, text) => {
  expect(slowPatterns([source(text)])).toEqual([])
})
