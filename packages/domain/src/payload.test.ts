import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { DEPTH_MAX, normaliseKeys, readUserId } from './payload'

function read(body: unknown): unknown {
  const result = normaliseKeys(body)
  return 'value' in result ? result.value : result
}

function problemOf(body: unknown): string | null {
  const result = normaliseKeys(body)
  return 'problem' in result ? result.problem : null
}

test('snake_case becomes camelCase at every depth, in arrays too; camelCase stays', () => {
  expect(
    read({
      user_id: 'U1',
      display_name: 'a',
      to: { user_ids: ['U2'] },
      messages: [{ alt_text: 'b', altText2: 1 }],
    }),
  ).toEqual({
    userId: 'U1',
    displayName: 'a',
    to: { userIds: ['U2'] },
    messages: [{ altText: 'b', altText2: 1 }],
  })
  expect(read({ a_b_c: 1, _id: 2, x__y: 3, trailing_: 4 })).toEqual({ aBC: 1, _id: 2, xY: 3, trailing_: 4 })
})

test('clients in the field are understood: line_user_id, timestamp and datetime', () => {
  expect(read({ line_user_id: 'U1', timestamp: 5 })).toEqual({ userId: 'U1', recordedAt: 5 })
  expect(read({ lineUserId: 'U1', datetime: 'x' })).toEqual({ userId: 'U1', recordedAt: 'x' })
  expect(
    read({ points: [{ timestamp: 1 }, { datetime: 2 }, { recorded_at: 3 }, { recordedAt: 4 }] }),
  ).toEqual({ points: [{ recordedAt: 1 }, { recordedAt: 2 }, { recordedAt: 3 }, { recordedAt: 4 }] })
})

test('aliases count only in their places', () => {
  expect(read({ messages: [{ timestamp: 1, lineUserId: 'U1' }], points: [{ lineUserId: 'U1' }] })).toEqual({
    messages: [{ timestamp: 1, lineUserId: 'U1' }],
    points: [{ lineUserId: 'U1' }],
  })
})

test('the proper name wins over snake_case, which wins over an alias, in any order', () => {
  expect(read({ line_user_id: 'c', user_id: 'b', userId: 'a' })).toEqual({ userId: 'a' })
  expect(read({ userId: 'a', user_id: 'b', lineUserId: 'c' })).toEqual({ userId: 'a' })
  expect(read({ lineUserId: 'c', user_id: 'b' })).toEqual({ userId: 'b' })
  expect(read({ datetime: 3, timestamp: 2, recordedAt: 1 })).toEqual({ recordedAt: 1 })
  expect(read({ datetime: 3, timestamp: 2 })).toEqual({ recordedAt: 2 })
})

test('the gateway and the service always read the same userId', () => {
  const key = fc.constantFrom(
    'userId',
    'user_id',
    'user__id',
    'lineUserId',
    'line_user_id',
    'line_userId',
    'other',
    '__proto__',
  )
  const body = fc
    .array(fc.tuple(key, fc.integer()), { maxLength: 6 })
    .map((entries) => JSON.parse(`{${entries.map(([k, v]) => `"${k}":${v}`)}}`))
  fc.assert(
    fc.property(body, (fields) => {
      expect(Object(read(fields)).userId).toEqual(readUserId(fields))
      expect(Object.hasOwn(Object(read(fields)), 'userId')).toBe(readUserId(fields) !== undefined)
    }),
    { seed: 7, numRuns: 1000 },
  )
  expect([null, 'x', 7, ['U1'], {}].map(readUserId)).toEqual(Array(5).fill(undefined))
})

test('modes of transport in the answers of a survey stay as they are', () => {
  const answers = { q3: { my_own_boat: 3, timestamp: 1, __x_y: 2 }, q_1: ['a_b'] }
  expect(read({ user_id: 'U1', answers })).toEqual({ userId: 'U1', answers })
})

test('text is trimmed; an id is not: it is compared as it is', () => {
  expect(read({ note: ' 平安\n順利 ', points: [{ source: 'web ' }], answers: { q1: [' a '] } })).toEqual({
    note: '平安\n順利',
    points: [{ source: 'web' }],
    answers: { q1: ['a'] },
  })
  expect(read({ line_user_id: ' U1', to: { userIds: ['U2 '] } })).toEqual({
    userId: ' U1',
    to: { userIds: ['U2 '] },
  })
})

test('__proto__ has no effect anywhere', () => {
  const body = JSON.parse(
    '{"__proto__":{"admin":true},"a":{"__proto__":{"admin":true},"b":1},"answers":{"q3":{"__proto__":9,"bus":1}}}',
  )
  const value = Object(read(body))
  expect(JSON.stringify(value)).toBe('{"a":{"b":1},"answers":{"q3":{"bus":1}}}')
  expect([value.admin, value.a.admin, Object.getPrototypeOf(value)]).toEqual([
    undefined,
    undefined,
    Object.prototype,
  ])
  expect(read(JSON.parse('{"constructor":{"prototype":{"x":1}}}'))).toEqual({
    constructor: { prototype: { x: 1 } },
  })
  expect('x' in {}).toBe(false)
})

test('the input is never changed, and returned itself where nothing changes', () => {
  const given = { user_id: 'U1', points: [{ timestamp: 1 }, { source: ' a ' }] }
  const before = structuredClone(given)
  normaliseKeys(given)
  expect(given).toEqual(before)
  const proper = { userId: 'U1', points: [{ recordedAt: 1, lat: 24 }] }
  expect(read(proper)).toBe(proper)
})

test('forbidden control characters and half surrogate pairs are a problem that names the field', () => {
  expect(problemOf({ note: 'a\u0000b' })).toBe('note: expected a text without control characters')
  expect(problemOf({ messages: [{}, { source: '\ud800' }] })).toBe(
    'messages[1].source: expected a text without control characters',
  )
  expect(problemOf({ user_id: 'U1\u0007' })).toBe('userId: expected a text without control characters')
  expect(problemOf({ answers: { q3: { 'a\u0000': 1 } } })).toBe(
    'answers.q3: expected names without control characters',
  )
  expect(problemOf('\u0000')).toBe('body: expected a text without control characters')
  expect(problemOf({ note: 'line\nline\ttab' })).toBeNull()
})

test('a number that is not finite is a problem: 1e400 parses to Infinity', () => {
  expect(problemOf(JSON.parse('{"areas":[{"lat":1e400}]}'))).toBe('areas[0].lat: expected a finite number')
  expect(problemOf(JSON.parse('{"a":[[1,-1e400]]}'))).toBe('a[0][1]: expected a finite number')
  expect(problemOf(JSON.parse('{"a":1e308,"b":123456789012345678901234567890}'))).toBeNull()
})

test('16 levels are accepted, 17 are not, and 50,000 do no harm', () => {
  const arrays = (levels: number) => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`)
  const objects = (levels: number) => JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`)
  expect([problemOf(arrays(DEPTH_MAX)), problemOf(objects(DEPTH_MAX))]).toEqual([null, null])
  expect(problemOf(arrays(DEPTH_MAX + 1))).toContain('expected at most 16 levels of nesting')
  expect(problemOf(objects(50_000))).toContain('expected at most 16 levels of nesting')
})

test('a problem is short, however long the names are', () => {
  expect(problemOf({ ['k'.repeat(5000)]: { ['m'.repeat(5000)]: '\u0000' } })?.length).toBeLessThan(200)
})

test('any JSON is normalised without an exception, and a second time changes nothing', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), (json) => {
      const once = normaliseKeys(json)
      if ('value' in once) expect(normaliseKeys(once.value)).toEqual(once)
    }),
    { seed: 8, numRuns: 1000 },
  )
})

test('a point is read the same in any spelling of its names, valid or not', () => {
  const value = fc.oneof(
    fc.double(),
    fc.integer(),
    fc.constantFrom(
      null,
      true,
      'ios',
      ' ios ',
      '2026-05-01T15:00:00+08:00',
      'a\u0000b',
      '\ud800',
      '',
      '媽祖',
    ),
  )
  const fields = fc.record({ speedAcc: value, recordedAt: value, lat: value }, { requiredKeys: [] })
  fc.assert(
    fc.property(fields, (point) => {
      const spelled = Object.fromEntries(
        Object.entries(point).map(([name, of]) => [name === 'speedAcc' ? 'speed_acc' : name, of]),
      )
      expect(read({ points: [{ ...point, other_name: 1 }] })).toEqual(
        read({ points: [{ ...spelled, otherName: 1 }] }),
      )
      expect(read({ points: [point, 1] })).toEqual(read({ points: [{ ...spelled }, 1] }))
    }),
    { seed: 20260420, numRuns: 500 },
  )
})

test('a point that cannot be read becomes null, and the others of its sync are processed', () => {
  const given = '{"points":[{"lat":1},{"lat":1e400},{"source":"a\\u0000"},{"timestamp":2}]}'
  expect(read(JSON.parse(given))).toEqual({ points: [{ lat: 1 }, null, null, { recordedAt: 2 }] })
  expect(problemOf({ points: 'a\u0000' })).toBe('points: expected a text without control characters')
})
