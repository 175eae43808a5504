import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import type { DomainEvent } from '@palanquin/domain/events'
import { type Stand, startStand } from '../../test/stand.ts'
import { createWalkers } from './consume.ts'

// Real servers start on a busy machine.
setDefaultTimeout(60_000)

let stand: Stand
beforeAll(async () => {
  stand = await startStand()
})
afterAll(() => stand.close())

const advanced = (
  ...walkers: [userId: string, lastRecordedAt: string | null][]
): DomainEvent<'track.advanced'> => ({
  id: randomUUID(),
  type: 'track.advanced',
  at: '2026-05-01T02:00:00.000Z',
  data: {
    shard: 0,
    participants: walkers.map(([userId, lastRecordedAt]) => ({
      userId,
      points: 1,
      checkins: 0,
      walkedKm: 0,
      motorizedKm: 0,
      lastRecordedAt,
    })),
  },
})

test('who only ever sent points is a participant after the flush, last seen when the last point says', async () => {
  await createWalkers(stand.db)(
    advanced(['early', '2026-05-01T01:00:00.000Z'], ['ahead', '2126-01-01T00:00:00.000Z'], ['never', null]),
  )
  expect(await stand.data('/user/early')).toMatchObject({
    status: 'active',
    lastSeenAt: '2026-05-01T01:00:00.000Z',
  })
  for (const userId of ['ahead', 'never'])
    expect(Date.parse(String((await stand.data(`/user/${userId}`)).lastSeenAt))).toBeLessThan(
      Date.now() + 60_000,
    )
})

test('whoever is there already stays as they are, however often it is told', async () => {
  const before = await stand.data('/user/sync', { body: { userId: 'there', displayName: 'A' } })
  for (let i = 0; i < 3; i++)
    await createWalkers(stand.db)(advanced(['there', '2026-05-01T01:00:00.000Z'], ['late', null]))
  expect(await stand.data('/user/there')).toEqual(before)
  expect((await stand.outbox()).map(({ data }) => data.userId)).toEqual(['there'])
})
