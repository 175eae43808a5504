import { expect, test } from 'bun:test'
import { fileURLToPath } from 'node:url'
import { pointOf } from '../recording/fix.ts'
import { knowsServerClock, noteDate, nowMs, STORED_AT, serverTimeOf } from './server-clock.ts'

const MINUTE_MS = 60_000
const TOLERANCE_MS = 5_000
const isAheadBy = (ms: number) => Math.abs(nowMs() - Date.now() - ms) < TOLERANCE_MS
const answered = (aheadMs: number, headers: Record<string, string> = {}) =>
  noteDate(
    new Response(null, { headers: { date: new Date(Date.now() + aheadMs).toUTCString(), ...headers } }),
  )
const fixAt = (timestamp: number) => {
  const place = { latitude: 24.3, longitude: 120.6, accuracy: 8 }
  const unknown = { altitude: null, altitudeAccuracy: null, heading: Number.NaN, speed: -1 }
  const coords = { ...place, ...unknown, toJSON: () => ({}) }
  return pointOf({ coords, timestamp, toJSON: () => ({}) })
}

test('the time is that of the latest answer of a server, and of none that was kept', () => {
  expect([isAheadBy(0), knowsServerClock()]).toEqual([true, false])
  answered(30 * MINUTE_MS, { [STORED_AT]: '1' })
  expect(knowsServerClock()).toBe(false)
  answered(4 * MINUTE_MS)
  answered(30 * MINUTE_MS)
  answered(25 * MINUTE_MS)
  expect([isAheadBy(30 * MINUTE_MS), knowsServerClock()]).toEqual([true, true])
  answered(25 * MINUTE_MS, { age: '540' })
  expect(isAheadBy(34 * MINUTE_MS)).toBe(true)
})

test('a fix has its own time, by whichever clock and from whichever year its phone counts', () => {
  const ageMs = (timestamp: number) => Math.abs(nowMs() - fixAt(timestamp).recordedAt)
  const since2001 = Date.UTC(2001)
  for (const clock of [Date.now, nowMs])
    for (const now of [clock(), clock() - since2001, (clock() - since2001) / 1_000])
      expect(ageMs(now)).toBeLessThan(TOLERANCE_MS)
  for (const minutes of [5, 120]) {
    const madeMs = Date.now() - minutes * MINUTE_MS
    expect(fixAt(madeMs).recordedAt).toBe(serverTimeOf(madeMs))
  }
  expect(Object.keys(fixAt(nowMs())).toSorted()).toEqual(['accuracy', 'lat', 'lng', 'recordedAt'])
})

test('nothing but this clock reads that of the phone, and all waits for an answer have an end', async () => {
  const own = ['api/server-clock.ts', 'api/fetch-in-time.ts', 'sw.ts']
  const sources = fileURLToPath(new URL('..', import.meta.url))
  const found: string[] = []
  for await (const file of new Bun.Glob('**/*.{ts,tsx}').scan(sources)) {
    if (own.includes(file) || file.includes('.test.')) continue
    const text = await Bun.file(sources + file).text()
    if (/\bDate\.now\b|\bnew Date\(\)|\bfetch\(/.test(text)) found.push(file)
  }
  expect(found).toEqual([])
})
