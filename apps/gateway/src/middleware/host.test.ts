import { expect, test } from 'bun:test'
import { hostCheck } from './host.ts'

const of = (host?: string) => new Headers(host === undefined ? {} : { host })
const production = hostCheck({ publicHosts: ['walk.example', 'Alt.Example'], loopback: false })
const development = hostCheck({ publicHosts: ['walk.example'], loopback: true })

test.each(['walk.example', 'walk.example:443', 'WALK.example:8443', 'alt.example:1'])('%s is ours', (host) =>
  expect(production(of(host))).toBe(true),
)

test.each(['localhost:8443', '127.0.0.1', '[::1]:8443'])('%s is ours in development alone', (host) => {
  expect(development(of(host))).toBe(true)
  expect(production(of(host))).toBe(false)
})

test.each([
  undefined,
  '',
  'x',
  'x:1',
  'evil.example',
  'walk.example.evil.example',
  'walk.example, evil.example',
  'walk.example:443, walk.example:443',
  'walk.example:',
  'walk.example:123456',
  'walk.example:80:80',
  'user@walk.example',
  'walk.example/admin',
  'walk.example?x',
  'walk.example#x',
  'walk.example.',
  ' walk.example evil',
  '[::1',
  '::1',
])('%p is refused', (host) => expect(development(of(host))).toBe(false))
