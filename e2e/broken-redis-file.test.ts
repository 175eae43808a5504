import { afterEach, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { takeDown } from '@palanquin/stack/lifecycle/take-down'
import { startThrowawayStack, type ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'

setDefaultTimeout(TEST_TIMEOUT_MS)

const NEVER = '0 0 1 1 *'
const POINTS = 20
const DAY_MS = 86_400_000

let stack: ThrowawayStack | undefined
afterEach(() => stack?.close())

const syncOf = (userId: string) => ({
  userId,
  points: Array.from({ length: POINTS }, (_, i) => ({
    lat: 24 + i / 1_000,
    lng: 120.6,
    recordedAt: Date.now() - DAY_MS + i * 40_000,
  })),
})

/** What a power cut leaves of Redis' newest file: zeros. */
function zeroNewest(folder: string): void {
  const files = readdirSync(folder).filter((name) => name.includes('.incr.'))
  const newest = join(folder, files.toSorted().at(-1) ?? '')
  writeFileSync(newest, Buffer.alloc(statSync(newest).size))
}

// A cluster is external and not repaired by the launcher.
test.skipIf(process.env.TEST_REDIS === 'cluster')(
  'a Redis with a broken file starts by itself, reports it, and gets what it lost from the journals',
  async () => {
    const folder = mkdtempSync(join(process.env.TEST_JOURNEYS_DIR ?? tmpdir(), 'palanquin-throwaway-'))
    stack = await startThrowawayStack({ FLUSH_SCHEDULE: NEVER }, { folder })
    for (const userId of ['one', 'other'])
      expect((await stack.api.post('/track/sync', syncOf(userId))).status).toBe(200)
    expect((await stack.api.post('/checkin', { userId: 'one', lat: 24.5, lng: 120.6 })).status).toBe(202)
    await until(async () => (await stack?.api.health())?.buffer_size === 2 * POINTS + 1, {
      what: 'the buffer to have everything',
    })
    await takeDown(stack.home)
    await stack.abandon()
    zeroNewest(join(folder, 'redis', 'appendonlydir'))
    stack = await startThrowawayStack({ FLUSH_SCHEDULE: NEVER }, { folder })
    expect(stack.said).toContain('Redis could not read the end of')
    await stack.api.flush()
    const rows =
      await stack.sql`SELECT user_id, count(*)::int AS points FROM tracking.all_points GROUP BY 1 ORDER BY 1`
    expect(rows.map(({ user_id, points }) => [user_id, points])).toEqual([
      ['one', POINTS + 1],
      ['other', POINTS],
    ])
  },
)
