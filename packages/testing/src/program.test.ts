import { afterEach, expect, test } from 'bun:test'
import { programOf } from './program.ts'

const before = process.env.TEST_PROGRAMS
afterEach(() => {
  if (before === undefined) delete process.env.TEST_PROGRAMS
  else process.env.TEST_PROGRAMS = before
})

test('an entry runs as its bundle where the runner of all tests has made one, else as it is', () => {
  process.env.TEST_PROGRAMS = JSON.stringify({ '/a/main.ts': '/bundles/a/main.js' })
  expect([programOf('/a/main.ts'), programOf('/b/main.ts')]).toEqual(['/bundles/a/main.js', '/b/main.ts'])
  delete process.env.TEST_PROGRAMS
  expect(programOf('/a/main.ts')).toBe('/a/main.ts')
})
