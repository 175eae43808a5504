import { expect, setDefaultTimeout, test } from 'bun:test'
import { auditPoints, NOTHING_WRONG } from '@palanquin/testing/faults/audit'
import { ledger } from '@palanquin/testing/faults/ledger'
import { rounds } from '@palanquin/testing/faults/rounds'
import { seededRandom } from '@palanquin/testing/random'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { startChild } from '../test/child.ts'
import { faultHarness } from '../test/fault-harness.ts'
import { flushHeldMidStatement } from '../test/half-done.ts'
import { participants } from '../test/participants.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)
const harness = faultHarness()

const NEVER = '0 0 1 1 *'
const LOCK = 'flush:lock'
/** The participants begin 20 days ago, and some of their points lie before that. */
const WALKED_DAYS = 25
const SOMEBODY = 'somebody:else'

/** A process of its own that flushes on demand only, another beside it, and participants who write to both. */
async function twoFlushers(seed: number) {
  // The days are there before anybody walks on them, as today and tomorrow are in earnest: a new one must wait for every
  // statement that was begun, also for that of a process which stands still before it has sent the rest of it.
  await harness.given.sql`SELECT tracking.ensure_points_partition(current_date - day)
    FROM generate_series(0, ${WALKED_DAYS}::int) AS day`
  const suspended = await startChild(harness.given, { FLUSH_SCHEDULE: NEVER })
  const other = await harness.start({ JOURNAL_DIR: `${harness.given.folder}/other`, FLUSH_SCHEDULE: NEVER })
  const book = ledger()
  const load = participants({ count: 4, seed, book, post: other.post })
  const first = { userId: 'first', lat: 24, lng: 120.6, recordedAt: Date.now() - 60_000 }
  expect((await suspended.post('/checkin', first))?.status).toBe(202)
  return {
    suspended,
    other,
    /** Its time is Redis's own: this is what 90 seconds come to. */
    lockExpires: () => harness.given.redis.pExpire(LOCK, 1),
    audited: async () => {
      await load.stop()
      await harness.flushed(other)
      const { acknowledged, indeterminate: _, phantom, ...found } = await auditPoints(harness.given.sql, book)
      expect({ ...found, phantom: [] }).toEqual(NOTHING_WRONG)
      expect(phantom).toEqual([expect.stringMatching(/^first\|/)])
      expect(acknowledged).toBeGreaterThan(50)
    },
  }
}

test('the lock of a flusher that is suspended in the middle of its flush expires, others flush, and it continues: every point once, and the lock of its successor is not released', async () => {
  const { suspended, other, lockExpires, audited } = await twoFlushers(71)
  const { flushing, go } = await flushHeldMidStatement(harness.given.sql, () =>
    suspended.post('/internal/flush'),
  )
  suspended.suspend()
  await lockExpires()
  await go() // its statement is stored now, and it does not know
  await harness.flushed(other)
  await harness.given.redis.set(LOCK, SOMEBODY, { expiration: { type: 'PX', value: 90_000 } })
  suspended.resume()
  expect((await flushing)?.status).toBeOneOf([200, 503])
  expect(await harness.given.redis.get(LOCK)).toBe(SOMEBODY)
  await harness.given.redis.del(LOCK)
  await audited()
})

test('a flusher that is suspended anywhere in its flush, again and again, while others flush: every point once', async () => {
  const { suspended, other, lockExpires, audited } = await twoFlushers(72)
  const random = seededRandom(72)
  for (let round = 0; round < rounds(4); round++) {
    const flushing = suspended.post('/internal/flush')
    await Bun.sleep(random.between(0, 60)) // where it stops is the experiment
    suspended.suspend()
    await lockExpires()
    await harness.flushed(other)
    suspended.resume()
    expect((await flushing)?.status).toBeOneOf([200, 503])
  }
  await audited()
})
