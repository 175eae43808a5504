import { expect, test } from 'bun:test'
import { percentPerHour } from './battery.ts'

const MINUTE = 60_000
const at = (percent: number, minutes: number) => ({ percent, atMs: minutes * MINUTE })

test.each([
  [at(90, 0), at(80, 60), 10],
  [at(90, 0), at(87, 15), 12],
  [at(90, 0), at(90, 60), 0],
  [at(90, 0), at(89, 9), null],
  [at(90, 0), at(95, 60), null],
  [null, at(95, 60), null],
  [at(95, 60), null, null],
])('from %p to %p it is %p an hour', (from, to, expected) => {
  expect(percentPerHour(from, to)).toBe(expected)
})
