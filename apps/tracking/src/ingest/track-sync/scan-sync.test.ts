import { expect, setDefaultTimeout, test } from 'bun:test'
import { DEFAULT_SOURCE_OF } from '@palanquin/domain/point'
import { TrackSyncBody } from '@palanquin/domain/point/input'
import { ApiError } from '@palanquin/service/http/api-error'
import { readJsonText } from '@palanquin/service/http/json-body'
import { body } from '@palanquin/service/http/standard-schema'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import fc from 'fast-check'
import { member, numeral, odd, of, space, timeNear } from '../../../test/written-json.ts'
import { packPoint } from '../../buffer/entry.ts'
import { packTuples } from '../../buffer/pack-sync.ts'
import { countFiltered, judgeSync } from './judge.ts'
import { type ScannedSync, scanSync } from './scan-sync.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

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

const time = timeNear(NOW)
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
