import { expect, test } from 'bun:test'
import { ConfigurationError, type Environment } from '@palanquin/service/config'
import { trackingConfig } from './config.ts'
import { mapConfig } from './map/config.ts'

const GOOD: Environment = {
  NODE_ENV: 'production',
  INTERNAL_TOKEN: 'i9fK2xQ7vLmT4wRz8NcB1hYp',
  REDIS_URL: 'redis://127.0.0.1:6379',
  DATABASE_URL: 'postgres://127.0.0.1/palanquin',
  JOURNAL_DIR: '/journal',
  PSEUDONYM_SECRET: 'p9fK2xQ7vLmT4wRz8NcB1hYp',
}

test.each([
  ['tracking', trackingConfig],
  ['the map', mapConfig],
])('%s does not start in production with a pseudonym key that is missing, short or a sample', (_, read) => {
  const problemsOf = (change: Environment): string => {
    try {
      read({ ...GOOD, ...change })
      return ''
    } catch (error) {
      if (error instanceof ConfigurationError) return error.message
      throw error
    }
  }
  expect(problemsOf({})).toBe('')
  expect(problemsOf({ PSEUDONYM_SECRET: '' })).toContain('PSEUDONYM_SECRET is missing')
  expect(problemsOf({ PSEUDONYM_SECRET: 'k3J9x' })).toContain('PSEUDONYM_SECRET is shorter than 24')
  expect(problemsOf({ PSEUDONYM_SECRET: 'change-me-change-me-change-me' })).toContain(
    'PSEUDONYM_SECRET is a sample',
  )
  expect(problemsOf({ PSEUDONYM_SECRET: 'a'.repeat(48), REDIS_URL: '' })).toMatch(
    /REDIS_URL is missing[\s\S]*a sample/,
  )
  expect(problemsOf({ NODE_ENV: 'development', PSEUDONYM_SECRET: 'short' })).toBe('')
})
