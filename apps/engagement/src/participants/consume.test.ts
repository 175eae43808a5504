import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import type { DomainEvent } from '@palanquin/domain/events'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { seedParticipants } from '../../test/seed-participants.ts'
import { startTestService, type TestService } from '../../test/service.ts'
import { registerParticipants } from './consume.ts'
import { REGISTER } from './sql.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

const advanced = (
  ...participants: [userId: string, lastRecordedAt: string | null][]
): DomainEvent<'track.advanced'> => ({
  id: randomUUID(),
  type: 'track.advanced',
  at: '2026-05-01T02:00:00.000Z',
  data: {
    shard: 0,
    participants: participants.map(([userId, lastRecordedAt]) => ({
      userId,
      points: 1,
      checkins: 0,
      walkedKm: 0,
      motorizedKm: 0,
      lastRecordedAt,
    })),
  },
})

/** Tracks as the flush stores them with the event. */
const track = (...userIds: string[]) =>
  service.sql`INSERT INTO tracking.tracks (user_id, shard, version, state, last_seen_at)
    SELECT user_id, 0, 1, '{}', '2020-01-01' FROM unnest(${userIds}::text[]) AS user_id`

test('a flush registers a participant with points only, last seen at the last point', async () => {
  await track('early', 'ahead', 'never')
  await registerParticipants(service.db)(
    advanced(['early', '2026-05-01T01:00:00.000Z'], ['ahead', '2126-01-01T00:00:00.000Z'], ['never', null]),
  )
  expect(await service.data('/user/early')).toMatchObject({
    status: 'active',
    lastSeenAt: '2026-05-01T01:00:00.000Z',
  })
  for (const userId of ['ahead', 'never'])
    expect(Date.parse(String((await service.data(`/user/${userId}`)).lastSeenAt))).toBeLessThan(
      Date.now() + 60_000,
    )
})

test('a registered participant is unchanged by repeated events', async () => {
  await track('there', 'late')
  const before = await service.data('/user/sync', { body: { userId: 'there', displayName: 'A' } })
  for (let i = 0; i < 3; i++)
    await registerParticipants(service.db)(advanced(['there', '2026-05-01T01:00:00.000Z'], ['late', null]))
  expect(await service.data('/user/there')).toEqual(before)
  expect((await service.outbox()).map(({ data }) => data.userId)).toEqual(['there'])
})

test('an event after an erasure does not register the participant again', async () => {
  await registerParticipants(service.db)(advanced(['erased', '2026-05-01T01:00:00.000Z']))
  expect((await service.call('/user/erased')).status).toBe(404)
})

test('an erasure during the handling of an event waits and finds the new row', async () => {
  await track('leaver')
  let taking: Promise<unknown> = Promise.resolve()
  let erasing: Promise<unknown> = Promise.resolve()
  await service.sql
    .begin(async (sql) => {
      // A concurrent insert of the same row blocks the event's statement halfway.
      await sql`INSERT INTO engagement.participants (user_id) VALUES ('leaver')`
      taking = registerParticipants(service.db)(advanced(['leaver', null]))
      await waiting(1)
      erasing = service.db.query("DELETE FROM tracking.tracks WHERE user_id = 'leaver'")
      await waiting(2) // the erasure waits for the event's lock on the track
      throw new Error('rolled back')
    })
    .catch((error: Error) => expect(error.message).toBe('rolled back'))
  await Promise.all([taking, erasing])
  expect(await service.sql`SELECT 1 FROM tracking.tracks WHERE user_id = 'leaver'`).toHaveLength(0)
  expect(await service.sql`SELECT 1 FROM engagement.participants WHERE user_id = 'leaver'`).toHaveLength(1)
})

/** Until so many statements wait for a lock. */
const waiting = (count: number) =>
  until(
    async () => {
      const rows =
        await service.sql`SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`
      return rows.length === count
    },
    { what: `${count} statements to wait` },
  )

test('a flush looks its participants up by key, however many there are', async () => {
  await seedParticipants(service.sql, 5_000)
  const rows = await service.sql<{ user_id: string }[]>`SELECT user_id FROM engagement.participants LIMIT 500`
  const known = rows.map(({ user_id }) => user_id)
  await track(...Array.from({ length: 500 }, (_, n) => `not-yet-${n}`))
  const unregistered = known.map((_, n) => `not-yet-${n}`)
  for (const userIds of [known, unregistered]) {
    const plan = await service.sql.unsafe<{ 'QUERY PLAN': string }[]>(`EXPLAIN ${REGISTER}`, [
      userIds,
      userIds.map(() => '2026-05-01T01:00:00.000Z'),
    ])
    const read = plan.map((line) => line['QUERY PLAN']).join('\n')
    expect(read).toContain('participants_pkey')
    expect(read).not.toMatch(/Seq Scan on (participants|tracks)/)
  }
})
