import { afterAll, beforeAll, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Beacon } from '@palanquin/domain/beacon'
import { dataOf } from '@palanquin/stack/api'
import { takeDown } from '@palanquin/stack/lifecycle/take-down'
import { MAIN_FILE } from '@palanquin/stack/project'
import { startThrowawayStack, type ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import Type from 'typebox'

let stack: ThrowawayStack
beforeAll(async () => {
  stack = await startThrowawayStack()
})
afterAll(() => stack.close())

const startDemo = (...args: string[]) =>
  Bun.spawn([process.execPath, '--no-env-file', MAIN_FILE, 'demo', '--home', stack.home.folder, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })

async function demo(...args: string[]): Promise<{ code: number; out: string }> {
  const child = startDemo(...args)
  const [out, problems, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { code, out: out + problems }
}

test(
  'a small pilgrimage ends with a table of what the API reports, and leaves the activity open',
  async () => {
    const { code, out } = await demo('--walkers', '6', '--seconds', '6', '--speed', '1200×')
    expect({ code, out }).toMatchObject({ code: 0 })
    expect(out).toMatch(/Participants +6 +6 profiles/)
    expect(out).toContain('it stays: a palanquin, the route of nine days, 10 places, a notice.')
    expect(out).toMatch(/Health +ok: d1 ok, kv ok, r2 ok; 0 buffered/)
    const surveys = await stack.sql`SELECT 1 FROM engagement.survey_history`
    expect(surveys.length).toBeGreaterThan(0)
    // What a busy machine answers by "try again" is sent again, and may have been stored before.
    const isSentAgain = /\b50[234]: \d/.test(out)
    const sent = isSentAgain ? '\\d+' : surveys.length
    expect(out).toMatch(new RegExp(`Surveys +${sent} +${surveys.length} completed`))
    expect(out).toMatch(/Carbon +[1-9][\d.]* kg CO2e/)
    await until(async () => (await stack.api.health()).status === 'ok', { what: 'health ok' })
    const [row] = await stack.sql`
      SELECT (SELECT count(*) FROM tracking.all_points WHERE kind = 1)::int AS points,
        (SELECT count(*) FROM tracking.carried_points)::int AS carried`
    const [kept = 0, twice = 0] = (/([\d,]+) kept; ([\d,]+) sent again/.exec(out) ?? [])
      .slice(1)
      .map((number) => Number(number.replaceAll(',', '')))
    expect(kept).toBeGreaterThan(100)
    expect(row?.carried).toBeGreaterThan(0)
    expect(row?.points + row?.carried).toBeWithin(kept, kept + (isSentAgain ? twice : 0) + 1)
  },
  TEST_TIMEOUT_MS,
)

const Beacons = Type.Array(Beacon)
const palanquins = async () =>
  dataOf(Beacons, await stack.api.get('/beacons')).filter(({ kind }) => kind === 'palanquin')
const listed = async (path: string): Promise<number> =>
  dataOf(Type.Array(Type.Unknown()), await stack.api.get(path, stack.api.as('owner'))).length

test(
  'an open map shows the palanquin move, and a second phone carry on when the first falls silent',
  async () => {
    const made = [
      await listed('/admin/beacons'),
      await listed('/admin/places'),
      await listed('/admin/notices'),
    ]
    expect(made).toEqual([1, 10, 1])
    const startedAt = new Date().toISOString()
    const walking = startDemo('--walkers', '4', '--seconds', '80')
    const seen = new Set<string>()
    const hasMoved = async () => {
      for (const { lat, recordedAt, state } of await palanquins())
        if (recordedAt > startedAt && state === 'moving') seen.add(String(lat))
      return seen.size >= 3
    }
    await until(hasMoved, { what: 'a palanquin that moves' })
    const [out, code] = await Promise.all([walking.stdout.text(), walking.exited])
    expect({ code, out }).toMatchObject({ code: 0 })
    expect(out).toMatch(/Watch it: https:\/\/localhost:\d+\/map\n/)
    const lastOf = async (userId: string) => {
      const [row] = await stack.sql`
        SELECT max(recorded_at) AS at FROM tracking.carried_points WHERE user_id = ${userId}`
      return new Date(row?.at).getTime()
    }
    const [first, second] = [await lastOf('demo-carrier-1'), await lastOf('demo-carrier-2')]
    expect(second - first).toBeWithin(39_000, 41_000)
    const isTakenOver = async () =>
      (await palanquins()).some(({ recordedAt }) => Date.parse(recordedAt) === second)
    await until(isTakenOver, { what: 'the second phone to carry the palanquin' })
    expect([
      ...[await listed('/admin/beacons'), await listed('/admin/places'), await listed('/admin/notices')],
    ]).toEqual(made)
  },
  TEST_TIMEOUT_MS,
)

test(
  'a recording is replayed as one participant who gets its kilometres',
  async () => {
    const file = join(stack.home.folder, 'a walk.csv')
    const rows = Array.from({ length: 61 }, (_, minute) =>
      [new Date(Date.UTC(2010, 4, 1, 8, minute)).toISOString(), 23.5 + minute * 0.0005, 120.3].join(','),
    )
    writeFileSync(file, ['time,lat,lon', ...rows, 'never,23.5,120.3'].join('\n'))
    const { code, out } = await demo('--file', file)
    expect({ code, out }).toMatchObject({ code: 0 })
    expect(out).toContain('1 without a time')
    expect(out).toMatch(/Distance +3\.336 km \(3\.336 on foot, 0 by motor\)/)
  },
  TEST_TIMEOUT_MS,
)

/** One sentence without a stack trace. */
const sentence = async (child: ReturnType<typeof startDemo>): Promise<string> => {
  const [said, code] = await Promise.all([child.stderr.text(), child.exited])
  expect({ code, lines: said.trim().split('\n').length }).toEqual({ code: 1, lines: 1 })
  return said
}

test(
  'a demo reports that the activity is paused, or has ended',
  async () => {
    const paused = stack.api.put('/admin/status', { status: 'paused' }, stack.api.as('manager'))
    expect((await paused).status).toBe(200)
    expect(await sentence(startDemo('--walkers', '2', '--seconds', '5'))).toContain(
      'is paused and accepts no positions',
    )
    const resumed = stack.api.put('/admin/status', { status: 'active' }, stack.api.as('manager'))
    expect((await resumed).status).toBe(200)
    // Within a second every process knows; a demo that starts sooner is notified of the pause, and stops.
    const place = { userId: 'first-after-the-pause', lat: 24.3, lng: 120.6 }
    const holds = async () =>
      JSON.stringify(await stack.api.get('/activity')).includes('"active"') &&
      (await stack.api.post('/checkin', place)).status === 202
    await until(holds, { what: 'the resumption to hold' })
    const walking = startDemo('--walkers', '40', '--seconds', '600')
    await until(async () => (await stack.api.onTheMap()) > 10, { what: 'participants on the map' })
    expect((await stack.api.post('/admin/end-activity', {}, stack.api.as('owner'))).status).toBe(200)
    expect(await sentence(walking)).toContain('has ended, and accepts nothing any more')
    expect(await sentence(startDemo('--walkers', '2', '--seconds', '5'))).toContain(
      `./palanquin down --home ${stack.home.folder} stops this one`,
    )
  },
  TEST_TIMEOUT_MS,
)

test(
  'a demo whose stack goes away says so, and how to restart it',
  async () => {
    const another = await startThrowawayStack()
    const { home } = another
    const child = Bun.spawn(
      [
        process.execPath,
        '--no-env-file',
        MAIN_FILE,
        'demo',
        '--home',
        home.folder,
        '--walkers',
        '40',
        '--seconds',
        '600',
      ],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    )
    await until(async () => (await another.api.onTheMap()) > 10, { what: 'participants on the map' })
    await takeDown(home)
    const said = await sentence(child)
    expect(said).toContain('no longer answers')
    expect(said).toContain(`./palanquin up --home ${home.folder} starts it`)
    await another.close()
  },
  TEST_TIMEOUT_MS,
)
