import { expect, test } from 'bun:test'
import { LauncherError } from '@palanquin/stack/launcher-error'
import { HOME_FLAG, readArguments, wholeNumber } from './arguments.ts'

const apiError = (...args: string[]): LauncherError => {
  try {
    readArguments('up', args, { flags: { ...HOME_FLAG, detach: { type: 'boolean' } } })
  } catch (error) {
    if (error instanceof LauncherError) return error
    throw error
  }
  throw new Error(`accepted ${args.join(' ')}`)
}

test.each([
  [['--home=']],
  [['--home', '']],
  [['--nonsense']],
  [['--home']],
  [['one', 'two']],
  [['--detach=yes']],
])('%j is a usage error: one sentence, exit 2', (args) => {
  const error = apiError(...args)
  expect(error.exitCode).toBe(2)
  expect(error.message).toContain('./palanquin up --help')
})

test('a number outside its bounds is refused, a missing one is the default', () => {
  const bounds = { minimum: 0, maximum: 65_535, fallback: 8_443 }
  expect(wholeNumber('up', 'port', undefined, bounds)).toBe(8_443)
  expect(wholeNumber('up', 'port', '0', bounds)).toBe(0)
  for (const text of ['65536', '-1', '1e3', 'x', ' 1'])
    expect(() => wholeNumber('up', 'port', text, bounds)).toThrow(LauncherError)
})
