import { afterAll, beforeAll, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { MAIN_FILE } from '../project.ts'
import { setOut, type ThrowawayStack } from '../throwaway-stack.ts'

let stack: ThrowawayStack
beforeAll(async () => {
  stack = await setOut()
})
afterAll(() => stack.close())

async function demo(...args: string[]): Promise<{ code: number; out: string }> {
  const child = Bun.spawn(
    [process.execPath, '--no-env-file', MAIN_FILE, 'demo', '--home', stack.home.folder, ...args],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  const [out, problems, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { code, out: out + problems }
}

test('a small pilgrimage ends with a table of what the API says, and leaves the activity open', async () => {
  const { code, out } = await demo('--walkers', '6', '--seconds', '6', '--speed', '1200×')
  expect({ code, out }).toMatchObject({ code: 0 })
  expect(out).toMatch(/Walkers +6 +6 profiles/)
  expect(out).toMatch(/Health +ok: d1 ok, kv ok, r2 ok; 0 buffered/)
  const surveys = await stack.sql`SELECT 1 FROM engagement.survey_history`
  expect(surveys.length).toBeGreaterThan(0)
  expect(out).toMatch(new RegExp(`Surveys +${surveys.length} +${surveys.length} completed`))
  expect(out).toMatch(/Carbon +[1-9][\d.]* kg CO2e/)
  expect(await stack.api.health()).toMatchObject({ status: 'ok' })
  const [row] = await stack.sql`SELECT count(*)::int AS points FROM tracking.points WHERE kind = 1`
  const kept = Number(/([\d,]+) kept/.exec(out)?.[1]?.replaceAll(',', ''))
  expect(kept).toBeGreaterThan(100)
  expect(row?.points).toBe(kept)
}, 120_000)

test('a recording is replayed as one walker who gets its kilometres', async () => {
  const file = join(stack.home.folder, 'a walk.csv')
  const rows = Array.from({ length: 61 }, (_, minute) =>
    [new Date(Date.UTC(2010, 4, 1, 8, minute)).toISOString(), 23.5 + minute * 0.0005, 120.3].join(','),
  )
  writeFileSync(file, ['time,lat,lon', ...rows, 'never,23.5,120.3'].join('\n'))
  const { code, out } = await demo('--file', file)
  expect({ code, out }).toMatchObject({ code: 0 })
  expect(out).toContain('1 without a time')
  expect(out).toMatch(/Distance +3\.336 km \(3\.336 on foot, 0 by motor\)/)
}, 60_000)
