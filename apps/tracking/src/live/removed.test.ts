import { expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import type { EventData } from '@palanquin/domain/events'
import type { ParticipantStatus } from '@palanquin/domain/participant'
import { publish } from '@palanquin/events/publish'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import type { MapProcess } from '../../test/harness.ts'
import { MANAGER, mapHarness } from '../../test/map-harness.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const { opened, data, checkin, pointAt, startMap } = mapHarness()

/** Does what engagement does: writes the row, then publishes the event. */
const change = async (userId: string, consent: boolean, status: ParticipantStatus = 'active') => {
  const [row] = await opened().given.sql<{ updated_at: Date; public_version: number }[]>`
    INSERT INTO engagement.participants (user_id, consent, status) VALUES (${userId}, ${consent}, ${status})
    ON CONFLICT (user_id) DO UPDATE SET consent = ${consent}, status = ${status}, updated_at = now()
    RETURNING updated_at, public_version`
  const at = row?.updated_at.toISOString() ?? ''
  const publicVersion = row?.public_version ?? 1
  const event = { userId, consent, status, publicVersion, displayName: null, language: null }
  await publish(opened().given.redis, { id: randomUUID(), type: 'participant.changed', at, data: event })
}
const erase = async (userId: string) => {
  const { status, body } = await opened().service.post('/internal/erase', { userId })
  expect(status).toBe(200)
  return (body.data as { event: EventData<'participant.erased'> }).event
}
let lat = 24
/** Puts a participant on the map; their pseudonym, and a cursor after that. */
const arrival = async (userId: string) => {
  lat = Math.round((lat + 0.01) * 100) / 100
  const here = lat
  await change(userId, true)
  await checkin(userId, here, 120.6, { accuracy: 7 })
  const [{ id }] = await Promise.all([pointAt(here), pointAt(here, opened().other)])
  return { id, cursor: (await data()).cursor }
}
const removedSince = (cursor: string, from?: MapProcess) =>
  until(
    async () => {
      const delta = await data(`?since=${cursor}`, from && { from })
      return (delta.removed?.length ?? 0) > 0 && delta
    },
    { what: 'a removal' },
  )

const withdraw = (userId: string) => change(userId, true, 'withdrawn')

test.each([
  ['withdraws', withdraw],
  ['takes consent back', (userId: string) => change(userId, false)],
] as const)(
  'a participant who %s is removed once by every delta since, and comes back by the next',
  async (_, leave) => {
    const userId = `U${randomUUID()}`
    const { id, cursor } = await arrival(userId)
    const here = lat
    expect(await data(`?since=${cursor}`)).toMatchObject({ points: [], removed: [] })
    await leave(userId)
    expect(await removedSince(cursor)).toMatchObject({ points: [], removed: [id] })
    // A cursor of another process may repeat the last half minute, which does no harm.
    const elsewhere = await until(
      async () => {
        const delta = await data(`?since=${cursor}`, { from: opened().other })
        return delta.removed?.includes(id) && delta
      },
      { what: 'the removal on the other map' },
    )
    expect(elsewhere.points).toEqual([])
    const after = await removedSince(cursor)
    expect(after.reset).toBeUndefined()
    expect(await data(`?since=${after.cursor}`)).toMatchObject({ points: [], removed: [] })
    await until(async () => !(await data()).points.some((point) => point.id === id), {
      what: 'the removal from the map',
    })
    expect(await data()).not.toHaveProperty('removed')

    const geo = await opened().map.get(`/data?format=geojson&since=${cursor}`)
    expect(geo.body).toMatchObject({ features: [], removed: [id] })
    expect(await data(`?format=columns&since=${cursor}`)).toMatchObject({
      ids: [],
      accuracy: [],
      removed: [id],
    })
    expect(await data(`?bbox=0,0,1,1&since=${cursor}`)).toMatchObject({ removed: [id] })
    expect(await data(`?limit=5&since=${cursor}`)).toMatchObject({ removed: [id] })
    // An administrator still sees the participant.
    expect(await data(`?since=${cursor}`, { headers: MANAGER })).toMatchObject({ removed: [] })

    await change(userId, true)
    const back = () => data(`?since=${after.cursor}`)
    const found = await until(async () => (await back()).points.find((point) => point.lat === here), {
      what: 'the return',
    })
    // By a consent that is given anew as another dot.
    expect(found.id === id).toBe(leave === withdraw)
    expect((await back()).removed).toEqual([])
    expect((await data(`?since=${(await back()).cursor}`)).points).toEqual([])
  },
)

test('an erased participant is removed for every client, administrators too', async () => {
  const userId = `U${randomUUID()}`
  const { id, cursor } = await arrival(userId)
  const event = await erase(userId)
  await publish(opened().given.redis, {
    id: randomUUID(),
    type: 'participant.erased',
    at: event.at,
    data: event,
  })
  expect((await removedSince(cursor)).removed).toEqual([id])
  await until(async () => (await data(`?since=${cursor}`, { from: opened().other })).removed?.includes(id), {
    what: 'the removal on the other map',
  })
  expect((await data(`?since=${cursor}`, { headers: MANAGER })).removed).toEqual([id])
})

test('an erasure that the bus lost is read from PostgreSQL', async () => {
  const userId = `U${randomUUID()}`
  const { id, cursor } = await arrival(userId)
  await opened().service.post('/internal/flush')
  await erase(userId)
  for (const from of [opened().map, opened().other])
    await until(
      async () => (await data(`?since=${cursor}`, { from, headers: MANAGER })).removed?.includes(id),
      {
        what: 'the removal',
      },
    )
})

test('a process that started later removes for an older cursor, or resets the map', async () => {
  const userId = `U${randomUUID()}`
  const { id, cursor } = await arrival(userId)
  await opened().service.post('/internal/flush')
  await opened().given.sql`DELETE FROM tracking.erasures`
  await change(userId, true, 'withdrawn')
  await removedSince(cursor)
  const second = await startMap()
  const delta = await data(`?since=${cursor}`, { from: second })
  expect(delta.reset).toBeUndefined()
  expect(delta.removed).toContain(id)
  expect(delta.points).toEqual([])
  await second.close()

  await erase(userId)
  const third = await startMap()
  const replaced = await data(`?since=${cursor}`, { from: third })
  expect(replaced).toMatchObject({ reset: true, removed: [] })
  expect(replaced.points).toEqual((await data('', { from: third })).points)
  expect(await data(`?since=${replaced.cursor}`, { from: third })).not.toHaveProperty('reset')
  await third.close()
})

test('the accuracy of a position is in metres, before and after a flush, and left out if unknown', async () => {
  const exact = `U${randomUUID()}`
  await arrival(exact)
  const silent = `U${randomUUID()}`
  await change(silent, true)
  await checkin(silent, 1.5)
  await pointAt(1.5)
  const bothPoints = async (from = opened().map) => {
    const { points } = await data('', { from })
    return points.filter((point) => [lat, 1.5].includes(point.lat)).map((point) => ({ ...point }))
  }
  const before = (await bothPoints()).toSorted((a, b) => a.lat - b.lat)
  expect(before).toMatchObject([{ lat: 1.5 }, { lat, accuracy: 7 }])
  expect(before[0]).not.toHaveProperty('accuracy')
  await opened().service.post('/internal/flush')
  const second = await startMap()
  expect((await bothPoints(second)).toSorted((a, b) => a.lat - b.lat)).toEqual(before)
  const columns = (await data('?format=columns', { from: second })) as unknown as Record<string, unknown[]>
  const at = (place: number) => columns.accuracy?.[columns.lat?.indexOf(place * 1e6) ?? -1]
  expect([at(1.5), at(lat)]).toEqual([null, 7])
  await second.close()
})
