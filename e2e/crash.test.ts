import { afterAll, beforeAll, expect, test } from 'bun:test'
import { openRedis } from '@palanquin/backup/streams'
import type { Redis } from '@palanquin/service/redis'
import { startThrowawayStack, type ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { seededRandom } from '@palanquin/testing/random'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { kill } from './kill.ts'

const KILLS = 20
const PARTICIPANTS_AT_ONCE = 6
/** A kill may come while the service starts, at its first request, or well into its work. */
const ALIVE_MS = { min: 0, max: 700 }

let stack: ThrowawayStack
let redis: Redis
beforeAll(async () => {
  stack = await startThrowawayStack()
  redis = await openRedis(stack.running().redisUrl)
})
afterAll(async () => {
  redis.destroy()
  await stack.close()
})

/** Checks in with one participant after another until stopped. */
async function checkInEndlessly(
  lane: number,
  going: () => boolean,
  acknowledged: Set<string>,
): Promise<number> {
  let sent = 0
  while (going()) {
    const userId = `lane${lane}-${sent++}`
    const reply = await stack.api
      .post('/checkin', { userId, lat: 23.5 + lane / 100, lng: 120.3 + sent / 100_000 })
      .catch(() => undefined) // a missing response is indeterminate
    if (reply?.status === 202) acknowledged.add(userId)
    else await Bun.sleep(20)
  }
  return sent
}

test(
  `every check-in answered 202 is stored exactly once, through ${KILLS} kill -9 of tracking`,
  async () => {
    const random = seededRandom(20)
    const acknowledged = new Set<string>()
    let going = true
    const lanes = Array.from({ length: PARTICIPANTS_AT_ONCE }, (_, lane) =>
      checkInEndlessly(lane, () => going, acknowledged),
    )
    for (let kills = 0; kills < KILLS; kills++) {
      await Bun.sleep(random.between(ALIVE_MS.min, ALIVE_MS.max))
      await kill(stack, 'tracking')()
    }
    const untilLastKill = acknowledged.size
    // Between kills a slow machine may answer none.
    const isEnough = () => acknowledged.size > Math.max(KILLS, untilLastKill)
    await until(isEnough, { what: 'enough check-ins' }).finally(() => {
      going = false
    })
    const sent = (await Promise.all(lanes)).reduce((all, one) => all + one, 0)
    expect(acknowledged.size).toBeGreaterThan(KILLS)

    const stored = async () => {
      const rows =
        await stack.sql`SELECT user_id, count(*)::int AS times FROM tracking.all_points GROUP BY user_id`
      return new Map(rows.map((row) => [String(row.user_id), Number(row.times)]))
    }
    let found = new Map<string, number>()
    const lost = () => [...acknowledged].filter((userId) => !found.has(userId))
    await until(
      async () => {
        // A process killed during a flush leaves its lock for 90 s; only time depends on it.
        await redis.del('flush:lock')
        found = await stored()
        return lost().length === 0 && (await stack.api.health()).buffer_size === 0
      },
      { what: 'everything to be stored' },
    ).catch(() => undefined) // the next line says what is missing

    expect(lost()).toEqual([])
    expect([...found].filter(([, times]) => times !== 1)).toEqual([])
    expect(found.size).toBeLessThanOrEqual(sent)
    const counted = await stack.sql`SELECT coalesce(sum(checkins), 0)::int AS checkins FROM tracking.tracks`
    expect(counted[0]?.checkins).toBe(found.size)
  },
  TEST_TIMEOUT_MS,
)
