import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { isUserId } from '../ids'
import { readUserId } from '../payload'
import { plainUserId } from './plain-user-id'
import { boundJson } from './shape'

const SEED = 20261122

/** The `userId` of a body that is parsed; undefined where it is refused, or names no participant. */
function parsedUserId(text: string): unknown {
  const bounded = boundJson(text)
  if ('problem' in bounded) return undefined
  try {
    const body: unknown = JSON.parse(bounded.text)
    const userId = typeof body === 'object' && !Array.isArray(body) ? readUserId(body) : undefined
    return isUserId(userId) ? userId : undefined
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return undefined
  }
}

const numeral = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  fc.constantFrom(
    '0',
    '-0.0',
    '1e400',
    '-1E+2',
    '01',
    '1.',
    '.5',
    '+1',
    '-',
    '1e',
    '1e+',
    '0x1',
    '12345678901234567890',
  ),
)
const id = fc.constantFrom('"U1"', '"U2"', '"a b"', '""', '"U\\u0031"', '"山"', 'null', '7', '["U1"]')
const odd = fc.oneof(
  fc.json(),
  numeral,
  fc.string().map((text) => `"${text}"`),
  fc.constantFrom('null', 'true', 'false', 'nul', '"', '[]', '{}', '[,]', '"\t"', '"\u007f"', ''),
)
const name = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('lat', 'lng', 'recordedAt', 'x_y') },
  fc.constantFrom('userId', 'points', '__proto__', 'l\\u0061t', '', 'line_user_id', '山'),
)
const space = fc.oneof(
  { weight: 12, arbitrary: fc.constant('') },
  fc.constantFrom(' ', '\n\t', '\r', '\f', '\u00a0'),
)
const comma = fc.oneof({ weight: 30, arbitrary: fc.constant(',') }, fc.constantFrom('', ',,', ' , ', ';'))
const scalar = fc.oneof({ weight: 12, arbitrary: numeral }, odd)
const point = fc
  .tuple(fc.array(fc.tuple(name, scalar), { maxLength: 3 }), space, comma)
  .map(([members, gap, by]) => `{${gap}${members.map(([key, value]) => `"${key}":${value}`).join(by)}}`)
/** Many alike, so that patterns are in use. */
const walk = fc
  .tuple(fc.array(fc.tuple(numeral, scalar), { minLength: 1, maxLength: 12 }), comma)
  .map(([values, by]) => values.map(([lat, lng]) => `{"lat":${lat},"lng":${lng},"recordedAt":1}`).join(by))
const points = fc
  .oneof(
    walk,
    fc.array(point, { maxLength: 4 }).map((items) => items.join(',')),
  )
  .map((items) => `[${items}]`)
const member = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(fc.constantFrom('userId', 'userId', 'user_id', 'us\\u0065rId'), id) },
  { weight: 4, arbitrary: fc.tuple(fc.constant('points'), points) },
  fc.tuple(name, scalar),
)
const sender = fc
  .oneof({ weight: 8, arbitrary: fc.constant('"U1"') }, id)
  .map((value): [string, string] => ['userId', value])
const body = fc
  .tuple(
    fc.tuple(sender, fc.array(member, { maxLength: 2 })).map(([first, more]) => [first, ...more]),
    fc.boolean(),
    space,
    comma,
    fc.oneof({ weight: 30, arbitrary: fc.constant('') }, odd),
  )
  .map(([members, isTurned, gap, by, end]) => {
    const written = members.map(([key, value]) => `"${key}"${gap}:${gap}${value}`)
    return `${gap}{${(isTurned ? written.toReversed() : written).join(by)}${gap}}${end}`
  })

test('the userId that is found without parsing is that of the parsed body, in any text', () => {
  let found = 0
  fc.assert(
    fc.property(body, (text) => {
      const userId = plainUserId(text)
      if (userId === undefined) return
      found++
      expect<unknown>(userId).toBe(parsedUserId(text))
    }),
    { seed: SEED, numRuns: 20_000 },
  )
  expect(found).toBeGreaterThan(1_000)
})

test('a text that is cut off or has another character is never taken for a sound one', () => {
  const fixes = Array.from(
    { length: 8 },
    (_, i) => `{"lat":24.${i},"lng":-1.5e2,"recordedAt":${i},"source":"ios"}`,
  )
  const text = `{"userId":"U1","source":"ios","points":[${fixes.join(',')}]}`
  expect(plainUserId(text)).toBe('U1')
  const character = fc.oneof(fc.constantFrom(...'{}[]",:0.-e\\ '), fc.string({ minLength: 1, maxLength: 1 }))
  fc.assert(
    fc.property(fc.nat(text.length), fc.nat(2), character, (at, cut, put) => {
      const changed = text.slice(0, at) + put + text.slice(at + cut)
      const userId = plainUserId(changed)
      if (userId !== undefined) expect<unknown>(userId).toBe(parsedUserId(changed))
    }),
    { seed: SEED, numRuns: 20_000 },
  )
})

test('what is longer or has more structure than a body may have is left to the parser', () => {
  const of = (points: number, keys: number) => {
    const point = `{${Array.from({ length: keys }, (_, key) => `"k${'x'.repeat(key)}":1`).join(',')}}`
    return `{"userId":"U1","points":[${Array.from({ length: points }, () => point).join(',')}]}`
  }
  expect(plainUserId(of(1_000, 3))).toBe('U1')
  for (const text of [of(1_001, 3), of(1, 17), `{"userId":"U1","x":"${'x'.repeat(140_000)}"}`])
    expect(plainUserId(text)).toBeUndefined()
})
