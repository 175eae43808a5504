import { expect, test } from 'bun:test'
import { earlyComparisons } from './secrets.ts'
import { readSources } from './sources.ts'

const source = (line: string) => ({ file: 'apps/gateway/src/a.ts', text: line })

test('no service compares a secret by ===, or by anything else that stops at the first difference', () => {
  const services = readSources().filter(({ file }) =>
    /^(?:(?:apps|packages)\/(?!testing\/)|tools\/embedded\/)/.test(file),
  )
  expect(services.length).toBeGreaterThan(100)
  expect(earlyComparisons(services)).toEqual([])
})

test.each([
  'if (given === token) return true',
  "if (headers.get('x-admin-token') === config.ownerToken) return 3",
  'return config.INTERNAL_TOKEN !== shown',
  'if (signature == expected) accept()',
  'const same = digest.equals(other)',
  'return Buffer.compare(a, b) === 0',
  'if (given.length > 3 && given === channelSecret) return',
  'if (header.startsWith(x) && password === y) return',
])('%s is caught', (line) => {
  expect(earlyComparisons([source(line)])).toHaveLength(1)
})

test.each([
  "if (route.token === 'none') return",
  'if (token === undefined) return missing',
  "if (typeof replyToken === 'string') reply()",
  'return timingSafeEqual(digest(given), digest(known))',
  'if (channelSecret === null) return notConfigured',
  '// token === secret is what we never write',
])('%s is no comparison of a secret', (line) => {
  expect(earlyComparisons([source(line)])).toEqual([])
})
