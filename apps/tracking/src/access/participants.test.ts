import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { connectDatabase, type Database } from '@palanquin/db/client'
import { erasureTokens } from '@palanquin/service/erasure-token'
import { createLog } from '@palanquin/service/log'
import { type TestDatabase, testDatabase } from '@palanquin/testing/postgres'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { followParticipants } from './participants.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const log = createLog({ service: 'test', level: 'silent' })
const tokenOf = erasureTokens('pseudonym-secret-of-the-tests')

let stored: TestDatabase
let db: Database
beforeAll(async () => {
  stored = await testDatabase()
  const connected = connectDatabase({ url: stored.url, name: 'test', log, deadlineMs: TEST_TIMEOUT_MS })
  // The order of reads is tested here, not their deadlines.
  db = { ...connected, queryAs: (schema, text, parameters) => connected.queryAs(schema, text, parameters) }
})
afterAll(async () => {
  await db.close()
  await stored.close()
})

const setStatus = (userId: string, status: string) =>
  db.query(
    `INSERT INTO engagement.participants (user_id, status) VALUES ($1, $2)
     ON CONFLICT (user_id) DO UPDATE SET status = excluded.status, updated_at = clock_timestamp()`,
    [userId, status],
  )

/** The first read gets its rows at once and returns them after `release`. */
function withSlowRead() {
  const read = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  let isFirst = true
  const queryAs: Database['queryAs'] = async (...given) => {
    const isSlow = isFirst
    isFirst = false
    const rows = await db.queryAs(...given)
    if (isSlow) {
      read.resolve()
      await released.promise
    }
    return rows
  }
  return { db: { ...db, queryAs }, read: read.promise, release: () => released.resolve() }
}

test('a refresh that was read before a change and arrives after it does not take it back', async () => {
  const slow = withSlowRead()
  const participants = followParticipants({ db: slow.db, tokenOf, log, names: false })
  await setStatus('returns', 'withdrawn')
  const late = participants.refresh('returns')
  await slow.read
  await setStatus('returns', 'active')
  await participants.refresh('returns')
  slow.release()
  await late
  expect(participants.get('returns')?.status).toBe('active')
})

test('a change by a clock that was set back since is found by the next read of changes', async () => {
  const participants = followParticipants({ db, tokenOf, log, names: false })
  await participants.load()
  await setStatus('leaves', 'active')
  await db.query(
    `UPDATE engagement.participants SET updated_at = now() + interval '1 second' WHERE user_id = 'leaves'`,
  )
  await participants.refresh('leaves')
  await setStatus('leaves', 'withdrawn')
  await participants.refresh('leaves')
  participants.start()
  try {
    await until(() => participants.get('leaves')?.status === 'withdrawn', { what: 'the read of changes' })
  } finally {
    await participants.stop()
  }
})
