import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { readUtc, utcAt } from './iso-text'

/** One more byte on either side, which is none of the time. */
const atBytes = (text: string): number => utcAt(new TextEncoder().encode(`"${text}"`), 1)

test('bytes mean the same time as their text, days by turns, and none is one when a character is wrong', () => {
  const character = fc.constantFrom(...'0123456789:.-TZtz +/a"'.split(''))
  const min = new Date('0000-01-01T00:00:00Z')
  const instant = fc.date({ min, max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true })
  const text = fc.tuple(instant, fc.option(fc.tuple(fc.nat({ max: 23 }), character))).map(([date, wrong]) => {
    const iso = date.toISOString()
    return wrong ? iso.slice(0, wrong[0]) + wrong[1] + iso.slice(wrong[0] + 1) : iso
  })
  fc.assert(
    fc.property(text, text, (one, other) => {
      for (const given of [one, other, one]) expect(atBytes(given)).toBe(readUtc(given) ?? Number.NaN)
    }),
    { seed: 20261123, numRuns: 3_000 },
  )
})

test('a day that does not exist is no time, also after one that does', () => {
  const given = [
    '2026-02-28',
    '2026-02-29',
    '2026-02-30',
    '2024-02-29',
    '2026-13-01',
    '2026-00-10',
    '2026-04-31',
  ]
  expect(given.map((day) => Number.isNaN(atBytes(`${day}T12:00:00.000Z`)))).toEqual([
    false,
    true,
    true,
    false,
    true,
    true,
    true,
  ])
})

test('what ends early is no time', () => {
  const text = '2026-05-01T12:00:00.000Z'
  for (let length = 0; length < text.length; length++)
    expect(utcAt(new TextEncoder().encode(text.slice(0, length)), 0)).toBeNaN()
})
