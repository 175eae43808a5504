import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { type Child, killChildren, startChild } from '../../test/child.ts'
import { storeSearch } from '../../test/erasure-harness.ts'
import { type Stores, stores, untilFlushed, untilTaken } from '../../test/harness.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

let given: Stores
let search: ReturnType<typeof storeSearch>
beforeAll(async () => {
  given = await stores()
  search = storeSearch(given)
})
afterAll(async () => {
  await killChildren()
  await given.close()
})

const NEVER = '0 0 1 1 *'

const otherOf = (userId: string) => userId.replace('leaver', 'other')
/** Somebody who is stored, waits in the buffer, and stands in the journal. */
async function somebody(userId: string, child: Child): Promise<void> {
  const at = { userId, lat: 24.1, lng: 120.6 }
  expect((await child.post('/checkin', at))?.status).toBe(202)
  await untilFlushed(child)
  expect((await child.post('/checkin', { ...at, lat: 24.2 }))?.status).toBe(202)
  expect((await child.post('/checkin', { ...at, userId: otherOf(userId) }))?.status).toBe(202)
}

test(
  'killed anywhere in an erasure and erased again by the next process: nothing of the participant is left, others are complete',
  async () => {
    const points = ['erase:after-begin', 'erase:after-buffer', 'erase:after-rows', 'flush:after-read*2']
    for (const [round, failPoint] of points.entries()) {
      const userId = `leaver-${round}`
      const child = await startChild(given, { FLUSH_SCHEDULE: NEVER, PALANQUIN_FAIL_POINT: failPoint })
      await somebody(userId, child)
      const erase = async () => {
        const erasing = child.post('/internal/erase', { userId })
        if (failPoint.startsWith('flush')) await child.post('/internal/flush')
        await erasing
        return child.died()
      }
      // Again where a store was too slow for it to come so far.
      await until(erase, { what: `the end at ${failPoint}` })
      await given.redis.del('flush:lock')

      const next = await startChild(given, { FLUSH_SCHEDULE: NEVER })
      expect((await untilTaken(() => next.post('/internal/erase', { userId }))).status).toBe(200)
      // What the first process had accepted is replayed and flushed behind it.
      await untilFlushed(next)
      expect({ failPoint, theirs: await search(userId) }).toEqual({ failPoint, theirs: [] })
      const others = await given.sql`SELECT checkins FROM tracking.tracks WHERE user_id = ${otherOf(userId)}`
      expect({ failPoint, others: others[0]?.checkins }).toEqual({ failPoint, others: 1 })
      await next.kill9()
    }
  },
  TEST_TIMEOUT_MS,
)
