import { expect, setDefaultTimeout, test } from 'bun:test'
import { CheckinBody } from '@palanquin/domain/point/input'
import { ApiError } from '@palanquin/service/http/api-error'
import { readJsonText } from '@palanquin/service/http/json-body'
import { body } from '@palanquin/service/http/standard-schema'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import fc from 'fast-check'
import { member, numeral, odd, of, space, timeNear } from '../../../test/written-json.ts'
import { acceptCheckins } from './accept.ts'
import { scanCheckin } from './scan-checkin.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const NOW = Date.UTC(2026, 4, 1, 8)
const SEED = 20261125

/** A service of its own, as the times of check-ins without one follow each other. */
const judgeOf = () => {
  const { judge, judgingNow } = acceptCheckins({
    journal: { appendAll: async () => null },
    writeBehind: { begin: () => {} },
    accessCheck: { apiErrorFor: () => null },
    newcomers: { isNew: () => false },
    ownerOf: (userId) => userId,
    sources: ['checkin', 'ios', 'web'],
    failPoint: () => {},
    clock: { now: () => NOW, isSure: () => true },
  })
  return (read: CheckinBody) => {
    const judged = judge(read, judgingNow())
    return judged instanceof ApiError ? judged.message : { ...judged, id: 'any' }
  }
}

/** What the parser and the schema make of a text. */
function parsed(text: string): CheckinBody | undefined {
  try {
    return body(CheckinBody)['~standard'].validate(readJsonText(text)).value
  } catch (error) {
    if (error instanceof ApiError) return undefined
    throw error
  }
}

/** Whether it was scanned; then it is the same that the parser, the schema and the judge say. */
function holds(text: string): boolean {
  const scanned = scanCheckin(text)
  if (scanned === undefined) return false
  const whole = parsed(text)
  expect<unknown>(scanned).toEqual(whole)
  if (whole) expect(judgeOf()(scanned)).toEqual(judgeOf()(whole))
  return true
}

const userId = of(
  fc.stringMatching(/^[A-Za-z0-9_-]{1,10}$/).map((id) => `"${id}"`),
  fc.oneof(odd, numeral, fc.constantFrom('"a b"', '" U1"', `"${'U'.repeat(65)}"`)),
)
const source = of(fc.constantFrom('"ios"', '"web"', 'null'), fc.oneof(odd, fc.constantFrom('"none"', '""')))
const recordedAt = of(timeNear(NOW), fc.oneof(numeral, fc.constant('null')))
const members = fc.tuple(
  member('userId', userId),
  member('lat', numeral),
  member('lng', numeral),
  member('accuracy', numeral),
  member('speed', numeral),
  member('altitude', numeral),
  member('heading', numeral),
  member('battery', numeral),
  member('recordedAt', recordedAt),
  member('source', source),
  member('line_user_id', userId),
  member('note', odd),
  member('userId', userId),
)
const checkin = fc
  .tuple(
    members,
    fc.oneof(
      { weight: 3, arbitrary: fc.constant([0, 1, 2, 3]) },
      { weight: 3, arbitrary: fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6, 7, 8, 9], { minLength: 3 }) },
      fc.constantFrom([10, 1, 2], [0, 10, 1, 2], [0, 1, 2, 12], [0, 1, 2, 11], [0, 1, 2, 2]),
      fc.array(fc.nat(12)),
    ),
    space,
    of(fc.constant(''), fc.constantFrom(' ', 'x', '}', ',')),
  )
  .map(([all, chosen, gap, end]) => `${gap}{${chosen.map((at) => all[at]).join(`${gap},`)}${gap}}${end}`)

test('a scan says of any text what the parser, the schema and the judge say, or nothing', () => {
  let scanned = 0
  let runs = 0
  fc.assert(
    fc.property(checkin, (text) => {
      runs++
      if (holds(text)) scanned++
    }),
    { seed: SEED, numRuns: 10_000 },
  )
  // Else the test could not fail.
  expect(scanned / runs).toBeGreaterThan(0.1)
})

test('a text that is cut off or has another character is never read as something else', () => {
  const text = `{"userId":"U1","lat":24.5,"lng":120.25,"accuracy":-8,"recordedAt":${NOW},"source":"ios","battery":57.4}`
  const character = fc.oneof(fc.constantFrom(...'{}[]",:0.-e\\ '), fc.string({ minLength: 1, maxLength: 1 }))
  fc.assert(
    fc.property(fc.nat(text.length), fc.nat(2), character, (at, cut, put) => {
      holds(text.slice(0, at) + put + text.slice(at + cut))
    }),
    { seed: SEED, numRuns: 10_000 },
  )
})

test('what phones send is scanned', () => {
  for (const text of [
    '{"userId":"U1","lat":24.123456,"lng":120.123456,"accuracy":8}',
    `{ "lat" : 24.1 , "lng" : 120 , "recordedAt" : "2026-05-01T07:00:00.000Z" , "userId" : "U1" }\n`,
    `{"source":"ios","userId":"U_-1","lat":-24.1,"lng":-120.5,"accuracy":-1,"speed":-1,"altitude":20.5,"heading":-1,"battery":57,"recordedAt":${NOW / 1000}}`,
    '{"userId":"U1","lat":0,"lng":-0,"accuracy":null,"speed":null,"recordedAt":null,"source":null}',
  ])
    expect(holds(text)).toBe(true)
})

test('what the parser reads otherwise, or refuses, is left to it', () => {
  const plain = '"userId":"U1","lat":24.1,"lng":120.5'
  for (const text of [
    `{${plain},"userId":"U1"}`,
    `{${plain},"line_user_id":"U2"}`,
    `{${plain},"note":"here"}`,
    `{${plain},"lat":90.5}`,
    '{"userId":"U1","lat":null,"lng":120.5}',
    '{"userId":"U1","lat":90.1,"lng":120.5}',
    '{"userId":"U1","lat":24.1}',
    `{${plain},"accuracy":40100001}`,
    `{${plain},"source":" ios"}`,
    `{${plain},"recordedAt":true}`,
    `[${plain}]`,
    '',
  ])
    expect(scanCheckin(text)).toBeUndefined()
})
