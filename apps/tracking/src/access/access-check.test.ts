import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import type { ActivityStatus } from '@palanquin/domain/activity'
import { shardOf } from '@palanquin/domain/ids'
import { publish } from '@palanquin/events/publish'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { type Service, type Stores, stores, tracking, untilTaken } from '../../test/harness.ts'
import { closedKey } from '../buffer/keys.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

let given: Stores
let one: Service
let other: Service
beforeAll(async () => {
  given = await stores()
  sinceMs = Date.now() // later than the row of a database that was only just laid out
  one = await tracking(given)
  other = await tracking(given, { env: { JOURNAL_DIR: `${given.folder}/other` } })
})
afterAll(async () => {
  await Promise.all([one.close(), other.close()])
  await given.close()
})

let sinceMs = 0
/** As engagement does it: PostgreSQL, the key in Redis, sometimes the event. */
async function setActivity(status: ActivityStatus, { key = true } = {}): Promise<void> {
  const since = new Date(++sinceMs)
  await given.sql`UPDATE engagement.activity SET status = ${status}, since = ${since}`
  if (key)
    await given.redis.set('activity', JSON.stringify({ status, since: since.toISOString(), by: 'owner' }))
}
const checkin = (service: Service, userId = 'pilgrim') =>
  service.post('/checkin', { userId, lat: 24.1, lng: 120.6 })
const sync = (service: Service, userId = 'pilgrim') =>
  untilTaken(() =>
    service.post('/track/sync', { userId, points: [{ lat: 24.1, lng: 120.6, recordedAt: Date.now() }] }),
  )
const statusOf = async (calls: Promise<{ status: number }>[]) =>
  (await Promise.all(calls)).map(({ status }) => status)
const all = () => statusOf([checkin(one), sync(one), checkin(other), sync(other)])

test('a paused or ended activity accepts no positions in any process; an active one does again', async () => {
  for (const status of ['paused', 'active', 'ended', 'active'] as const) {
    await setActivity(status)
    const wanted = status === 'active' ? '202,200,202,200' : '403,403,403,403'
    await until(async () => (await all()).join() === wanted, { what: status })
  }
  await setActivity('paused')
  await until(async () => (await checkin(one)).status === 403, { what: 'paused' })
  expect((await checkin(one)).body.error).toContain('paused')
  await setActivity('active')
  await until(async () => (await all()).join() === '202,200,202,200', { what: 'active again' })
})

test('the error during a pause includes the message of the organisers', async () => {
  const since = new Date(++sinceMs).toISOString()
  const message = { zh: '大雨', en: 'Heavy rain' }
  await given.sql`UPDATE engagement.activity SET status = 'paused', since = ${since}, message = ${given.sql.json(message)}`
  await given.redis.set('activity', JSON.stringify({ status: 'paused', since, by: 'owner', message }))
  const said = async () => String((await checkin(one)).body.error)
  await until(async () => (await said()).includes('大雨 Heavy rain'), { what: 'the message' })
  await given.redis.del('activity')
  expect(await said()).toContain('大雨 Heavy rain')
  await given.sql`UPDATE engagement.activity SET message = NULL`
  await setActivity('active')
  await until(async () => (await all()).join() === '202,200,202,200', { what: 'active again' })
})

test('an event alone takes effect at once', async () => {
  const since = new Date(++sinceMs).toISOString()
  const publishStatus = (status: ActivityStatus, at: string) =>
    publish(one.redis, {
      id: randomUUID(),
      type: 'activity.changed',
      at,
      data: { status, since: at, by: 'owner' },
    })
  await publishStatus('paused', since)
  await until(async () => (await checkin(other)).status === 403, { what: 'the event is heard' })
  await setActivity('active')
  await until(async () => (await all()).join() === '202,200,202,200', { what: 'active again' })
})

test('when Redis has lost the key, the status comes from PostgreSQL', async () => {
  await given.redis.del('activity')
  await setActivity('paused', { key: false })
  await until(async () => (await all()).every((status) => status === 403), { what: 'paused' })
  await setActivity('active', { key: false })
  await until(async () => (await all()).join() === '202,200,202,200', { what: 'active again' })
  await setActivity('active')
})

test('a process that does not know of the end yet can add no track after the last flush', async () => {
  await setActivity('paused')
  await until(async () => (await given.redis.exists(closedKey(shardOf('pilgrim')))) === 1, {
    what: 'the closed flag',
  })
  // The script itself checks the flag, whatever the process knows.
  const { appendSyncs } = await import('../buffer/append-sync.ts')
  const { packTuples } = await import('../buffer/pack-sync.ts')
  const point = [Date.now(), 24.1, 120.6, null, null, null, null] as const
  const written = await appendSyncs(one.redis, [
    {
      userId: 'pilgrim',
      token: 'of-pilgrim',
      source: 'auto',
      receivedAt: point[0],
      points: packTuples([point]),
    },
  ])
  expect(written).toEqual(['closed'])
  await setActivity('active')
  await until(async () => (await all()).join() === '202,200,202,200', { what: 'active again' })
})

test('a closed flag that was left over is cleared by the next sync', async () => {
  await given.redis.set(closedKey(shardOf('pilgrim')), 'paused')
  expect((await sync(one)).status).toBe(200)
})

test('a participant who withdraws is refused from the event on, and accepted again after returning', async () => {
  const changed = (status: 'active' | 'withdrawn') =>
    publish(one.redis, {
      id: randomUUID(),
      type: 'participant.changed',
      at: new Date().toISOString(),
      data: { userId: 'gone', status, consent: false, displayName: null, language: null },
    })
  expect(await statusOf([checkin(one, 'gone'), sync(other, 'gone')])).toEqual([202, 200])
  await changed('withdrawn')
  await until(async () => (await checkin(one, 'gone')).status === 403, { what: 'the event is heard' })
  await until(async () => (await sync(other, 'gone')).status === 403, { what: 'the event is heard' })
  expect((await checkin(one, 'gone')).body.error).toContain('withdrawn')
  await changed('active')
  await until(async () => (await checkin(one, 'gone')).status === 202, { what: 'taken again' })
})

test('a participant who withdrew before this process started, or while an event was lost, is refused too', async () => {
  await given.sql`INSERT INTO engagement.participants (user_id, status) VALUES ('long-gone', 'withdrawn')`
  await until(async () => (await checkin(one, 'long-gone')).status === 403, { what: 'the repair' })
  const late = await tracking(given, { env: { JOURNAL_DIR: `${given.folder}/late` } })
  await until(async () => (await checkin(late, 'long-gone')).status === 403, { what: 'the load' })
  await late.close()
})

test('after a refresh of a participant the next check-in goes by what PostgreSQL says, event or not', async () => {
  const refresh = (service: Service, userId: string) =>
    untilTaken(() => service.post('/internal/participants/refresh', { userId }))
  for (let round = 0; round < 10; round++) {
    const userId = `refreshed-${round}`
    await given.sql`INSERT INTO engagement.participants (user_id, status) VALUES (${userId}, 'withdrawn')`
    for (const service of [one, other]) {
      expect((await refresh(service, userId)).status).toBe(200)
      expect(await statusOf([checkin(service, userId), sync(service, userId)])).toEqual([403, 403])
    }
    await given.sql`UPDATE engagement.participants SET status = 'active', updated_at = now() WHERE user_id = ${userId}`
    await refresh(one, userId)
    expect((await checkin(one, userId)).status).toBe(202)
  }
  expect((await refresh(one, 'unknown')).status).toBe(200)
  expect((await checkin(one, 'unknown')).status).toBe(202)
})
