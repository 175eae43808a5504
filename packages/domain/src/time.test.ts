import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { INSTANT_MS_MAX, isoInZone, isTimeZone, parseInstant, toIso } from './time'

const noon = Date.UTC(2026, 4, 1, 12, 0, 0)

test('ISO 8601 with an offset is accepted in all notations', () => {
  const spellings = [
    '2026-05-01T12:00:00.000Z',
    '2026-05-01T12:00:00Z',
    '2026-05-01T12:00Z',
    '2026-05-01t12:00:00z',
    '2026-05-01T20:00:00+08:00',
    '2026-05-01T20:00:00+0800',
    '2026-05-01T20:00:00+08',
    '2026-05-01T08:30:00-03:30',
    '2026-05-02T01:45:00+13:45',
    '2026-05-01T12:00:00-00:00',
  ]
  expect(spellings.map(parseInstant)).toEqual(spellings.map(() => noon))
})

test('a fraction of any length is cut to milliseconds, not rounded', () => {
  expect(parseInstant('2026-05-01T12:00:00.5Z')).toBe(noon + 500)
  expect(parseInstant('2026-05-01T12:00:00,25Z')).toBe(noon + 250)
  expect(parseInstant(`2026-05-01T12:00:00.1239${'9'.repeat(40)}Z`)).toBe(noon + 123)
})

test('an instant that does not exist, or has no offset, is null', () => {
  const none = [
    '2026-05-01T12:00:00',
    '2026-05-01',
    '2026-05-01Z',
    '2026-02-30T12:00:00Z',
    '2025-02-29T12:00:00Z',
    '1900-02-29T12:00:00Z',
    '2026-00-10T12:00:00Z',
    '2026-13-01T12:00:00Z',
    '2026-05-00T12:00:00Z',
    '2026-04-31T12:00:00Z',
    '2026-05-01T24:00:00Z',
    '2026-05-01T25:00:00Z',
    '2026-05-01T12:60:00Z',
    '2016-12-31T23:59:60Z',
    '2026-05-01T12:00:00+24:00',
    '2026-05-01T12:00:00+08:60',
    '2026-05-01T12:00:00.Z',
    '2026-05-01T12:00:00Z\n',
    ' 2026-05-01T12:00:00Z',
    '2026-5-1T12:00:00Z',
    '٢٠٢٦-05-01T12:00:00Z',
    '1777636800000',
    'now',
    '',
  ]
  expect(none.filter((text) => parseInstant(text) !== null)).toEqual([])
})

test('a leap day exists in leap years only', () => {
  expect(parseInstant('2024-02-29T00:00:00Z')).toBe(Date.UTC(2024, 1, 29))
  expect(parseInstant('2000-02-29T00:00:00Z')).toBe(Date.UTC(2000, 1, 29))
})

test('years below 100 are not taken for the twentieth century', () => {
  expect(parseInstant('0050-01-01T00:00:00Z')).toBe(Date.parse('0050-01-01T00:00:00Z'))
})

test('whole epoch milliseconds are accepted up to the limit of Date', () => {
  expect([noon, 0, -1, INSTANT_MS_MAX, -INSTANT_MS_MAX].map(parseInstant)).toEqual([
    noon,
    0,
    -1,
    8.64e15,
    -8.64e15,
  ])
  const none = [
    INSTANT_MS_MAX + 1,
    1.5,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    null,
    undefined,
    true,
    new Date(0),
    [noon],
    {},
  ]
  expect(none.map(parseInstant)).toEqual(none.map(() => null))
})

test('parseInstant reads what toIso writes, and responses have milliseconds', () => {
  expect(toIso(noon)).toBe('2026-05-01T12:00:00.000Z')
  const year = { min: Date.parse('0000-01-01T00:00:00Z'), max: Date.parse('9999-12-31T23:59:59.999Z') }
  fc.assert(
    fc.property(fc.integer(year), (ms) => parseInstant(toIso(ms)) === ms),
    { seed: 2, numRuns: 500 },
  )
})

test('a time in UTC means the same with Z and with +00:00, and neither is one when a digit is wrong', () => {
  const character = fc.constantFrom(...'0123456789:.-TZ +/a'.split(''))
  const instant = fc.date({ min: new Date(0), max: new Date(INSTANT_MS_MAX / 4), noInvalidDate: true })
  fc.assert(
    fc.property(instant, fc.option(fc.tuple(fc.nat({ max: 22 }), character)), (date, wrong) => {
      const iso = date.toISOString().slice(-24)
      const text = wrong ? iso.slice(0, wrong[0]) + wrong[1] + iso.slice(wrong[0] + 1) : iso
      expect(parseInstant(text)).toBe(parseInstant(`${text.slice(0, -1)}+00:00`))
    }),
    { seed: 20260419, numRuns: 2_000 },
  )
})

test('a time in a zone is the same instant, with the hour that its clocks show', () => {
  expect(isoInZone('Asia/Taipei')(noon)).toBe('2026-05-01T20:00:00.000+08:00')
  expect(isoInZone('UTC')(noon)).toBe('2026-05-01T12:00:00.000+00:00')
  expect(isoInZone('America/St_Johns')(noon)).toBe('2026-05-01T09:30:00.000-02:30')
  const instant = fc.integer({ min: Date.UTC(1973, 0), max: Date.UTC(2100, 0) })
  const zone = fc.constantFrom('Asia/Taipei', 'UTC', 'America/St_Johns', 'Australia/Lord_Howe')
  fc.assert(
    fc.property(instant, zone, (ms, name) => parseInstant(isoInZone(name)(ms)) === ms),
    { seed: 7, numRuns: 300 },
  )
})

test('a time zone is a name that Intl knows, and no offset', () => {
  for (const name of ['Asia/Taipei', 'UTC', 'America/St_Johns', 'Etc/GMT+8'])
    expect(isTimeZone(name)).toBe(true)
  for (const name of ['', '+08:00', '-05', 'Asia/Nowhere', 'GMT+8']) expect(isTimeZone(name)).toBe(false)
})
