import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { KEYS_PER_POINT_MAX, NAMES_IN_POINTS_MAX } from './point-keys'
import { boundJson, DEPTH_MAX, ITEMS_MAX, KEYS_MAX, KEYS_PER_OBJECT_MAX } from './shape'

const SEED = 20261122

/** The limits as one would check them on a parsed body: slow, and after the harm is done. */
function excessOf(value: unknown): string | null {
  let keys = 0
  let problem: string | null = null
  const visit = (at: unknown, depth: number, isCounted: boolean): void => {
    if (typeof at !== 'object' || at === null) return
    if (depth > DEPTH_MAX) problem ??= 'levels'
    const isList = Array.isArray(at)
    if (isList && at.length > ITEMS_MAX) problem ??= 'items'
    const entries = Object.entries(at)
    if (!isList && isCounted) {
      keys += entries.length
      if (entries.length > KEYS_PER_OBJECT_MAX) problem ??= 'object'
    }
    for (const [key, item] of entries) {
      const isPoints = depth === 1 && !isList && key === 'points' && Array.isArray(item)
      visit(item, depth + 1, isCounted && !isPoints)
    }
  }
  visit(value, 1, true)
  return keys > KEYS_MAX ? (problem ?? 'keys') : problem
}

const keysWithin = (value: unknown): number =>
  typeof value !== 'object' || value === null
    ? 0
    : Object.values(value).reduce(
        (sum: number, item) => sum + keysWithin(item) + (Array.isArray(value) ? 0 : 1),
        0,
      )

const isRefused = (value: unknown, indent = 0): boolean =>
  'problem' in boundJson(JSON.stringify(value, null, indent))
const problemOf = (text: string): string | null => {
  const bounded = boundJson(text)
  return 'problem' in bounded ? bounded.problem : null
}
const fields = (count: number, name = 'k', value: unknown = 1): Record<string, unknown> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${name}${index}`, value]))

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.string({ unit: fc.constantFrom('"', '\\', '{', '}', '[', ']', ':', ',', 'points', '\n'), maxLength: 8 }),
)
const leaf = fc.oneof(text, fc.double(), fc.constantFrom(null, true, false, 0))
/** Mostly small, now and then at a limit or one beyond. */
const sizeAround = (limit: number) =>
  fc.oneof(
    { arbitrary: fc.nat({ max: 3 }), weight: 12 },
    { arbitrary: fc.constantFrom(limit - 1, limit, limit + 1), weight: 1 },
  )
const { body } = fc.letrec<{ value: unknown; body: unknown }>((tie) => {
  const named = fc.tuple(text, sizeAround(KEYS_PER_OBJECT_MAX), tie('value'))
  const object = named.map(([name, count, inner]) => ({ ...fields(count, 'f'), [name]: inner }))
  const list = fc
    .tuple(sizeAround(ITEMS_MAX), tie('value'))
    .map(([count, inner]) => [...Array<number>(Math.max(0, count - 1)).fill(7), inner])
  const nested = fc
    .tuple(fc.nat({ max: DEPTH_MAX + 1 }), tie('value'))
    .map(([levels, inner]) =>
      Array.from({ length: levels }).reduce((value: unknown) => ({ n: value }), inner),
    )
  const many = fc
    .constantFrom(...[-1, 0, 1].map((more) => KEYS_MAX / 40 + more))
    .map((count) => ({ many: Array.from({ length: 40 }, (_, row) => fields(count, `r${row}_`)) }))
  return {
    value: fc.oneof(
      { maxDepth: 4 },
      { arbitrary: leaf, weight: 3 },
      { arbitrary: object, weight: 3 },
      { arbitrary: list, weight: 1 },
      { arbitrary: nested, weight: 1 },
      { arbitrary: many, weight: 1 },
    ),
    body: fc
      .tuple(fc.constantFrom('points', 'answers', 'x'), tie('value'))
      .map(([key, inner]) => ({ [key]: inner })),
  }
})

test('a body is rejected exactly if its parsed form has too many keys, items or levels', () => {
  const seen = { refused: 0, taken: 0 }
  fc.assert(
    fc.property(body, fc.nat({ max: 2 }), (value, indent) => {
      // JSON cannot say some of what was made up (an undefined item, -0): what it says is judged.
      const said: unknown = JSON.parse(JSON.stringify(value))
      const excess = excessOf(said)
      expect(isRefused(said, indent)).toBe(excess !== null)
      seen[excess === null ? 'taken' : 'refused']++
    }),
    { seed: SEED, numRuns: 1500 },
  )
  expect(seen.refused).toBeGreaterThan(150)
  expect(seen.taken).toBeGreaterThan(150)
})

test('a point of a sync with more than 16 keys, nested ones included, becomes null; the others stay', () => {
  const name = fc.oneof(
    fc.constantFrom('lat', 'lng', 'recordedAt', 'points', 'a"b', 'c\\', '{', '__proto__'),
    text,
  )
  const point = fc.oneof(
    {
      arbitrary: fc.dictionary(name, leaf, { maxKeys: KEYS_PER_POINT_MAX + 2, noNullPrototype: true }),
      weight: 6,
    },
    { arbitrary: fc.constantFrom(14, 15, 16, 17, 18, 70).map((count) => fields(count)), weight: 3 },
    {
      arbitrary: fc.constantFrom(6, 7, 8).map((count) => ({ ...fields(count), in: [fields(count, 'i')] })),
      weight: 2,
    },
    { arbitrary: leaf, weight: 1 },
  )
  fc.assert(
    fc.property(fc.array(point, { maxLength: 12 }), fc.nat({ max: 1 }), (points, indent) => {
      const given = JSON.stringify({ userId: 'U1', points, source: 'ios' }, null, indent)
      const bounded = boundJson(given)
      if (!('text' in bounded)) throw new Error(bounded.problem)
      const said: unknown[] = JSON.parse(given).points
      const expected = said.map((one) => (keysWithin(one) > KEYS_PER_POINT_MAX ? null : one))
      expect(JSON.parse(bounded.text)).toEqual({ userId: 'U1', points: expected, source: 'ios' })
      if (expected.every((one, index) => one === said[index])) expect(bounded.text).toBe(given)
    }),
    { seed: SEED, numRuns: 500 },
  )
})

test('any text is scanned without an exception, and accepted text keeps its meaning', () => {
  const token = fc.constantFrom('{', '}', '[', ']', ':', ',', '"', '\\', '"points"', '"a"', '1', ' ', 'null')
  fc.assert(
    fc.property(fc.array(token, { maxLength: 60 }), (tokens) => {
      const given = tokens.join('')
      const bounded = boundJson(given)
      if ('problem' in bounded) expect(() => JSON.parse(given)).toThrow()
      else expect(bounded.text).toBe(given)
    }),
    { seed: SEED, numRuns: 5000 },
  )
})

test('64 keys of an object are accepted and 65 are not, 2,000 in all are accepted and 2,001 are not', () => {
  expect(isRefused(fields(64))).toBe(false)
  expect(problemOf(JSON.stringify(fields(65)))).toBe('body: expected at most 64 keys in an object')
  expect(problemOf(JSON.stringify(fields(9_000)))).toBe('body: expected at most 64 keys in an object')
  const inAll = (more: number) => ({
    x: Array.from({ length: 40 }, (_, row) => fields(row === 0 ? 49 + more : 50)),
  })
  expect(isRefused(inAll(0))).toBe(false)
  expect(problemOf(JSON.stringify(inAll(1)))).toBe('body: expected at most 2000 keys')
})

test('1,000 items of an array are accepted and 1,001 are not; 16 levels are accepted and 17 are not', () => {
  const items = (count: number) => ({ x: Array<number>(count).fill(1) })
  expect(isRefused(items(1_000))).toBe(false)
  expect(problemOf(JSON.stringify(items(1_001)))).toBe('x: expected at most 1000 items in an array')
  const levels = (count: number) => `${'{"a":'.repeat(count)}1${'}'.repeat(count)}`
  expect(problemOf(levels(16))).toBeNull()
  expect(problemOf(levels(17))).toBe('a: expected at most 16 levels of nesting')
  expect(problemOf('['.repeat(100_000))).toBe('body: expected at most 16 levels of nesting')
})

test('a sync of 1,000 points with 16 keys each is accepted unchanged in any notation', () => {
  const sync = JSON.stringify({ userId: 'U1', points: Array<unknown>(1_000).fill(fields(16)) })
  expect(boundJson(sync)).toEqual({ text: sync })
  const spaced = '{ "points" : [ { "lat" : 1 } , { "lat" : 2 } ] }'
  expect(boundJson(spaced)).toEqual({ text: spaced })
})

test('the message names the field with the excess, and is short', () => {
  expect(problemOf(JSON.stringify({ userId: 'U1', answers: { q3: fields(65) } }))).toBe(
    'answers: expected at most 64 keys in an object',
  )
  const points = Array(1_001).fill({ lat: 1 })
  expect(problemOf(JSON.stringify({ points }))).toBe('points: expected at most 1000 items in an array')
  expect(problemOf(JSON.stringify({ ['n'.repeat(90_000)]: fields(65) }))?.length).toBeLessThan(200)
})

test('keys are free only in the points of a sync: not below another name, deeper, or in another spelling', () => {
  const points = Array<unknown>(500).fill(fields(5))
  expect(isRefused({ points })).toBe(false)
  expect(isRefused({ waypoints: points })).toBe(true)
  expect(isRefused({ x: { points } })).toBe(true)
  expect(isRefused([{ points }])).toBe(true)
  expect(problemOf(JSON.stringify({ points }).replace('points', 'p\\u006fints'))).toContain('2000 keys')
})

test('the 257th name in the points of a sync makes its point null', () => {
  const points = Array.from({ length: 300 }, (_, index) => ({ lat: index, [`own${index}`]: 1 }))
  const bounded = boundJson(JSON.stringify({ points }))
  const read: unknown[] = 'text' in bounded ? JSON.parse(bounded.text).points : []
  expect(read.filter((point) => point !== null)).toHaveLength(NAMES_IN_POINTS_MAX - 1)
  expect(read.indexOf(null)).toBe(NAMES_IN_POINTS_MAX - 1)
})

test('__proto__ is a key like any other, and has no effect', () => {
  expect(isRefused(JSON.parse(`{"__proto__":${JSON.stringify(fields(65))}}`))).toBe(true)
  const sync = '{"points":[{"__proto__":{"lat":1},"lng":2}]}'
  expect(boundJson(sync)).toEqual({ text: sync })
})

test('brackets that do not match are no JSON, in a point that is cut out too', () => {
  const point = JSON.stringify(fields(17))
  for (const body of ['}', ']', '{]', '[}', '{"a":[}', `{"points":[${point.slice(0, -1)}]]}`])
    expect({ body, problem: problemOf(body) }).toEqual({
      body,
      problem: expect.stringContaining('not valid JSON'),
    })
})
