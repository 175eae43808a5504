import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { comparePreference } from '@palanquin/domain/distance'
import { auditPoints, NOTHING_WRONG } from '@palanquin/testing/faults/audit'
import { ledger, pointKey } from '@palanquin/testing/faults/ledger'
import { rounds } from '@palanquin/testing/faults/rounds'
import { seededRandom } from '@palanquin/testing/random'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { type Child, killChildren, startChild } from '../test/child.ts'
import { type Stores, stores } from '../test/harness.ts'
import { PAUSE_MS, participants } from '../test/participants.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

let given: Stores
beforeAll(async () => {
  given = await stores()
})
afterAll(async () => {
  await killChildren()
  await given.close()
})

const CRASH_TEST_TIMEOUT_MS = rounds(TEST_TIMEOUT_MS)
/** At chance moments; the journey through the whole stack kills twenty times more. */
const KILLS_AT_RANDOM = rounds(10)
const LAST = { userId: 'last', lat: 24, lng: 120, recordedAt: Date.now() }
/** A flush and a run of the packer each second, so that kills meet one often; the points are of the last twenty days. */
const EVERY_SECOND = { FLUSH_SCHEDULE: '* * * * * *', PACK_SCHEDULE: '* * * * * *' }
/** Where a crash would hurt most; the number makes it happen under load, not at the first request. */
const FAIL_POINTS = [
  'checkin:after-journal*20',
  'checkin:before-redis*30',
  'checkin:after-redis*40',
  'flush:after-read*2',
  'flush:after-commit*1',
  'flush:after-commit*5',
  'flush:after-confirm*3',
  'pack:before-slice*3',
  'pack:after-slice*2',
  'relay-published*1',
]

/**
 * The packer lets flushes pass first, and those of every second under this load leave it no gap for half a
 * minute.
 */
const ROOM_FOR_PACKER = { paceMs: 50, env: { ...EVERY_SECOND, FLUSH_SCHEDULE: '*/4 * * * * *' } }
const PACED = { paceMs: PAUSE_MS, env: EVERY_SECOND }

/** A killed flusher's lock stays for 90 s; the tests have no time for that. */
const forgetLock = () => given.redis.del(['flush:lock', 'flush:pack-lock'])

/** Track points that are stored in the place of one that counts and was answered for. */
async function lessSureThan(preferred: ReadonlyMap<string, Parameters<typeof comparePreference>[0]>) {
  const rows = await given.sql<PointRow[]>`
    SELECT user_id, recorded_at, lat, lng, accuracy, speed FROM tracking.all_points WHERE kind = 1`
  return rows.filter((row) => {
    const key = pointKey({ userId: row.user_id, kind: 'track', recordedAt: row.recorded_at.getTime() })
    const wanted = preferred.get(key)
    return wanted !== undefined && comparePreference(wanted, row) < 0
  })
}
type PointRow = {
  user_id: string
  recorded_at: Date
  lat: number
  lng: number
  accuracy: number | null
  speed: number | null
}

test(
  'kill -9 of tracking right after a 202, in the middle of a flush, anywhere: nothing is lost and nothing counts twice',
  async () => {
    const random = seededRandom(20)
    const book = ledger()
    let child: Child | undefined
    const post = async (path: string, body: unknown) => (await child?.post(path, body)) ?? null
    const load = participants({ count: 12, seed: 1, book, post })
    try {
      for (const failPoint of FAIL_POINTS) {
        await forgetLock()
        const { paceMs, env } = failPoint.startsWith('pack') ? ROOM_FOR_PACKER : PACED
        load.pace(paceMs)
        child = await startChild(given, { ...env, PALANQUIN_FAIL_POINT: failPoint })
        await until(child.died, { what: `the end at ${failPoint}` })
      }
      for (let kills = 0; kills < KILLS_AT_RANDOM; kills++) {
        await forgetLock()
        child = await startChild(given, EVERY_SECOND)
        await Bun.sleep(random.between(20, 900)) // when the kill comes is the experiment
        await child.kill9()
      }
      child = await startChild(given)
      await until(async () => (await post('/checkin', LAST))?.status === 202, { what: 'a last check-in' })
    } finally {
      await load.stop()
    }
    await until(async () => (await post('/internal/flush', {}))?.status === 200, { what: 'a whole flush' })
    const { acknowledged, indeterminate: _, ...found } = await auditPoints(given.sql, book)
    expect(found).toEqual({ ...NOTHING_WRONG, phantom: [expect.stringContaining('last|')] })
    expect(await lessSureThan(load.preferred)).toEqual([])
    expect(load.preferred.size).toBeGreaterThan(500)
    expect(acknowledged).toBeGreaterThan(1_000)
    expect(await child.stop()).toBeOneOf([0, 'late'])
  },
  CRASH_TEST_TIMEOUT_MS,
)

test(
  'SIGTERM under load, as in a rolling restart: it drains and ends with 0, and nothing is lost',
  async () => {
    const book = ledger()
    let child: Child | undefined
    const post = async (path: string, body: unknown) => (await child?.post(path, body)) ?? null
    const load = participants({ count: 12, seed: 2, book, post })
    try {
      for (let restart = 0; restart < 3; restart++) {
        child = await startChild(given, EVERY_SECOND)
        await Bun.sleep(700) // some load
        expect(await child.stop()).toBeOneOf([0, 'late'])
      }
      child = await startChild(given)
    } finally {
      await load.stop()
    }
    await until(async () => (await post('/internal/flush', {}))?.status === 200, { what: 'a whole flush' })
    const { lost, doubled, wrong, rollups } = await auditPoints(given.sql, book)
    expect({ lost, doubled, wrong, rollups }).toEqual({ lost: [], doubled: [], wrong: [], rollups: [] })
  },
  CRASH_TEST_TIMEOUT_MS,
)

test('the check itself finds a point that was lost and one that counted twice', async () => {
  const book = ledger()
  book.note('lost|checkin|1', 'acknowledged')
  await given.sql`UPDATE tracking.tracks SET checkins = checkins + 1 WHERE user_id = 'last'`
  const found = await auditPoints(given.sql, book)
  expect(found.lost).toEqual(['lost|checkin|1'])
  expect(found.wrong).toEqual(['last'])
  expect(found.rollups).toEqual([expect.stringContaining('participant_hours add up to the tracks')])
})
