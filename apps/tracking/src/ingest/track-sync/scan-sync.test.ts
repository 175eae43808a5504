import { expect, test } from 'bun:test'
import { DEFAULT_SOURCE_OF } from '@palanquin/domain/point'
import { TrackSyncBody } from '@palanquin/domain/point/input'
import { ApiError } from '@palanquin/service/http/api-error'
import { readJsonText } from '@palanquin/service/http/json-body'
import { body } from '@palanquin/service/http/standard-schema'
import fc from 'fast-check'
import { packPoint } from '../../buffer/entry.ts'
import { packTuples } from '../../buffer/pack-sync.ts'
import { countFiltered, judgeSync } from './judge.ts'
import { type ScannedSync, scanSync } from './scan-sync.ts'

const NOW = Date.UTC(2026, 4, 1, 8)
const SOURCES = ['auto', 'ios', 'web']
const SEED = 20261122

/** What the parser, the schema and the judge make of a text, as the scan would say it; or that they refuse it. */
function parsed(text: string, unsureMs: number): ScannedSync | 'refused' | 'other order' {
  try {
    const {
      userId,
      source: given,
      points,
    } = body(TrackSyncBody)['~standard'].validate(readJsonText(text)).value
    const source = given ?? DEFAULT_SOURCE_OF.track
    if (!SOURCES.includes(source)) return 'refused'
    const judged = judgeSync(points, { source, sources: SOURCES, now: NOW, unsureMs })
    if (judged.repeated > 0) return 'other order'
    const packed = packTuples(judged.points.map((point) => packPoint(point, source)))
    const { rejected } = judged
    return {
      userId,
      source,
      received: points.length,
      points: packed,
      filtered: countFiltered(judged.points),
      rejected,
    }
  } catch (error) {
    if (error instanceof ApiError) return 'refused'
    throw error
  }
}

const scan = (text: string, unsureMs = 0) => scanSync(text, { sources: SOURCES, now: NOW, unsureMs })

/** Numbers as phones and attackers write them. */
const numeral = fc.oneof(
  { weight: 6, arbitrary: fc.double({ min: -200, max: 200, noNaN: true }).map(String) },
  {
    weight: 4,
    arbitrary: fc.tuple(fc.integer({ min: -200, max: 200 }), fc.nat(9_999_999)).map(([a, b]) => `${a}.${b}`),
  },
  { weight: 3, arbitrary: fc.integer({ min: -200, max: 400 }).map(String) },
  fc.double().map((value) => JSON.stringify(value)),
  fc.bigInt().map(String),
  fc.constantFrom(
    '0',
    '-0',
    '-0.0',
    '1e2',
    '1E-31',
    '1e400',
    '-1e400',
    '01',
    '1.',
    '.5',
    '+1',
    '--1',
    '1e',
    '0x10',
    'NaN',
    '120.00000000000000000001',
    '5e-324',
    '9007199254740993',
    '90',
    '90.00000000000001',
    '-180',
    '1_0',
  ),
)
const time = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: NOW - 3_000_000_000, max: NOW + 400_000 }).map(String) },
  {
    weight: 3,
    arbitrary: fc.integer({ min: NOW - 100_000, max: NOW }).map((ms) => `"${new Date(ms).toISOString()}"`),
  },
  fc.integer({ min: NOW / 1000 - 5_000, max: NOW / 1000 }).map((s) => `${s}.25`),
  fc.constantFrom(
    '"2026-05-01T15:00:00+08:00"',
    '" 2026-05-01T07:00:00Z"',
    '"yesterday"',
    '""',
    '1e12',
    String(NOW),
    '123456789012345678',
  ),
)
const odd = fc.oneof(
  fc.json(),
  fc.string().map((text) => JSON.stringify(text)),
  fc.constantFrom(
    'null',
    'true',
    '"ios"',
    '"web"',
    '" ios"',
    '"\\u0069os"',
    '"山"',
    '"\u007f"',
    '[]',
    '{}',
    '"a\nb"',
    'nul',
  ),
)
const space = fc.oneof(
  { weight: 12, arbitrary: fc.constant('') },
  fc.constantFrom(' ', '\n', '\t ', '\r\n', '\u00a0', '\ufeff'),
)
const of = <T>(usual: fc.Arbitrary<T>, unusual: fc.Arbitrary<T>, weight = 40) =>
  fc.oneof({ weight, arbitrary: usual }, unusual)
const member = (name: string, value: fc.Arbitrary<string>) =>
  fc
    .tuple(
      of(
        fc.constant(`"${name}"`),
        fc.constantFrom('"timestamp"', '"recorded_at"', '"__proto__"', '"x"', '"l\\u0061t"', 'lat'),
        60,
      ),
      space,
      of(value, odd),
    )
    .map(([key, gap, text]) => `${key}${gap}:${gap}${text}`)
const pointMembers = fc.tuple(
  member('lat', numeral),
  member('lng', numeral),
  member('recordedAt', time),
  member('accuracy', numeral),
  member('speed', numeral),
  member('altitude', numeral),
  member('heading', numeral),
  member('battery', numeral),
  member('source', fc.constantFrom('"ios"', 'null')),
)
const point = fc
  .tuple(
    pointMembers,
    fc.oneof(
      fc.constant([0, 1, 2]),
      fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6, 7, 8], { minLength: 3 }),
      fc.array(fc.nat(8)),
    ),
    space,
  )
  .map(([members, chosen, gap]) => `{${gap}${chosen.map((at) => members[at]).join(`${gap},${gap}`)}${gap}}`)
const plainPoint = (at: number) =>
  fc
    .tuple(numeral, numeral, numeral)
    .map(
      ([lat, accuracy, speed]) =>
        `{"lat":${lat},"lng":120.5,"recordedAt":${NOW - 60_000 + at * 1_000},"accuracy":${accuracy},"speed":${speed}}`,
    )
const points = of(
  fc
    .oneof(
      fc.array(point, { maxLength: 4 }),
      fc.nat(6).chain((length) => fc.tuple(...Array.from({ length }, (_, at) => plainPoint(at)))),
    )
    .map((items) => `[${items.join(',')}]`),
  odd,
)
const userId = of(
  fc.stringMatching(/^[A-Za-z0-9_-]{1,10}$/).map((id) => `"${id}"`),
  fc.oneof(odd, numeral),
)
const source = of(fc.constantFrom('"ios"', '"auto"'), fc.oneof(odd, fc.constantFrom('"none"', '""')))
const sync = fc
  .tuple(
    fc.tuple(
      member('userId', userId),
      member('source', source),
      member('points', points),
      member('line_user_id', userId),
      member('userId', userId),
    ),
    fc.oneof(
      { weight: 6, arbitrary: fc.constant([0, 1, 2]) },
      fc.constantFrom([0, 2], [2, 0], [2, 1, 0], [0, 2, 4], [3, 2], [0, 2, 2], [3, 0, 2, 1]),
    ),
    space,
    of(fc.constant(''), fc.constantFrom(' ', 'x', '}', ',')),
  )
  .map(
    ([members, chosen, gap, end]) => `${gap}{${chosen.map((at) => members[at]).join(`${gap},`)}${gap}}${end}`,
  )

test('a scan says of any text what the parser, the schema and the judge say, or nothing', () => {
  let scanned = 0
  let runs = 0
  fc.assert(
    fc.property(sync, fc.constantFrom(0, 86_400_000), (text, unsureMs) => {
      runs++
      const found = scan(text, unsureMs)
      if (found === undefined) return
      scanned++
      expect<unknown>(found).toEqual(parsed(text, unsureMs))
    }),
    { seed: SEED, numRuns: 10_000 },
  )
  // Else the test could not fail.
  expect(scanned / runs).toBeGreaterThan(0.2)
})

test('a text that is cut off or has another character is never read as something else', () => {
  const text = `{"userId":"U1","source":"ios","points":[{"lat":24.5,"lng":120.25,"recordedAt":${NOW},"accuracy":8,"speed":-1}]}`
  const character = fc.oneof(fc.constantFrom(...'{}[]",:0.-e\\ '), fc.string({ minLength: 1, maxLength: 1 }))
  fc.assert(
    fc.property(fc.nat(text.length), fc.nat(2), character, (at, cut, put) => {
      const changed = text.slice(0, at) + put + text.slice(at + cut)
      const found = scan(changed)
      if (found !== undefined) expect<unknown>(found).toEqual(parsed(changed, 0))
    }),
    { seed: SEED, numRuns: 10_000 },
  )
})

test('what phones send is scanned', () => {
  const fixes = Array.from(
    { length: 1_000 },
    (_, i) =>
      `{"lat":${24 + i / 1e6},"lng":120.5,"recordedAt":${NOW - 2_000_000 + i * 1_000},"accuracy":8.5,"speed":4.9}`,
  )
  for (const [text, received] of [
    [`{"userId":"U1","source":"ios","points":[${fixes.join(',')}]}`, 1_000],
    [`{ "points" : [ ${fixes[0]} , ${fixes[1]} ] , "userId" : "U1" }\n`, 2],
    [
      `{"userId":"U1","points":[{"recordedAt":"2026-05-01T07:00:00.000Z","lng":120.123456789012345,"lat":24.123456789012345,"battery":57.4,"source":"auto"}]}`,
      1,
    ],
  ] as const) {
    expect(scan(text)?.received).toBe(received)
    expect<unknown>(scan(text)).toEqual(parsed(text, 0))
  }
  expect(scan(`{"userId":"U1","points":[${fixes.join(',')},${fixes[0]}]}`)).toBeUndefined()
})
