import { expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import type { EventData } from '@palanquin/domain/events'
import type { ParticipantStatus } from '@palanquin/domain/participant'
import { publish } from '@palanquin/events/publish'
import { HANG_MS } from '@palanquin/testing/hang'
import { until } from '@palanquin/testing/until'
import type { MapProcess } from '../../test/harness.ts'
import { MANAGER, mapHarness } from '../../test/map-harness.ts'

setDefaultTimeout(HANG_MS)

const { opened, data, checkin, pointAt, startMap } = mapHarness()

/** What engagement does: the row, and the event behind it. */
const change = async (userId: string, consent: boolean, status: ParticipantStatus = 'active') => {
  const [row] = await opened().given.sql<{ updated_at: Date }[]>`
    INSERT INTO engagement.participants (user_id, consent, status) VALUES (${userId}, ${consent}, ${status})
    ON CONFLICT (user_id) DO UPDATE SET consent = ${consent}, status = ${status}, updated_at = now() RETURNING updated_at`
  const at = row?.updated_at.toISOString() ?? ''
  const event = { userId, consent, status, displayName: null, language: null }
  await publish(opened().given.redis, { id: randomUUID(), type: 'participant.changed', at, data: event })
}
const erase = async (userId: string) => {
  const { status, body } = await opened().service.post('/internal/erase', { userId })
  expect(status).toBe(200)
  return (body.data as { tell: EventData<'participant.erased'> }).tell
}
let lat = 24
/** Somebody on the map, the id that stands for them, and a cursor behind that. */
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
    { what: 'somebody removed' },
  )

test.each([
  ['withdraws', (userId: string) => change(userId, true, 'withdrawn')],
  ['takes consent back', (userId: string) => change(userId, false)],
] as const)(
  'who %s is removed in every delta since, once; who comes back is there again',
  async (_, leave) => {
    const userId = `U${randomUUID()}`
    const { id, cursor } = await arrival(userId)
    expect(await data(`?since=${cursor}`)).toMatchObject({ points: [], removed: [] })
    await leave(userId)
    expect(await removedSince(cursor)).toMatchObject({ points: [], removed: [id] })
    // By the cursor of another process the last half minute may be told again: it does no harm.
    const elsewhere = await until(
      async () => {
        const delta = await data(`?since=${cursor}`, { from: opened().other })
        return delta.removed?.includes(id) && delta
      },
      { what: 'them removed elsewhere' },
    )
    expect(elsewhere.points).toEqual([])
    const after = await removedSince(cursor)
    expect(after.reset).toBeUndefined()
    expect(await data(`?since=${after.cursor}`)).toMatchObject({ points: [], removed: [] })
    await until(async () => !(await data()).points.some((point) => point.id === id), {
      what: 'them off the map',
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
    // An administrator still sees them.
    expect(await data(`?since=${cursor}`, { headers: MANAGER })).toMatchObject({ removed: [] })

    await change(userId, true)
    const back = () => data(`?since=${after.cursor}`)
    await until(async () => (await back()).points.some((point) => point.id === id), { what: 'them back' })
    expect((await back()).removed).toEqual([])
    expect((await data(`?since=${(await back()).cursor}`)).points).toEqual([])
  },
)

test('who is erased is removed for everybody, administrators too, when the bus says so', async () => {
  const userId = `U${randomUUID()}`
  const { id, cursor } = await arrival(userId)
  const tell = await erase(userId)
  await publish(opened().given.redis, {
    id: randomUUID(),
    type: 'participant.erased',
    at: tell.at,
    data: tell,
  })
  expect((await removedSince(cursor)).removed).toEqual([id])
  await until(async () => (await data(`?since=${cursor}`, { from: opened().other })).removed?.includes(id), {
    what: 'them removed elsewhere',
  })
  expect((await data(`?since=${cursor}`, { headers: MANAGER })).removed).toEqual([id])
})

test('and also when the bus has lost it: PostgreSQL says so', async () => {
  const userId = `U${randomUUID()}`
  const { id, cursor } = await arrival(userId)
  await opened().service.post('/internal/flush')
  await erase(userId)
  for (const from of [opened().map, opened().other])
    await until(
      async () => (await data(`?since=${cursor}`, { from, headers: MANAGER })).removed?.includes(id),
      {
        what: 'them removed',
      },
    )
})

test('a process that began later tells a reader of an older cursor who was removed, or that the map is to be begun anew', async () => {
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
  const anew = await data(`?since=${cursor}`, { from: third })
  expect(anew).toMatchObject({ reset: true, removed: [] })
  expect(anew.points).toEqual((await data('', { from: third })).points)
  expect(await data(`?since=${anew.cursor}`, { from: third })).not.toHaveProperty('reset')
  await third.close()
})

test('the accuracy of a position is told in metres, before a flush and after, and left out where it is not known', async () => {
  const exact = `U${randomUUID()}`
  await arrival(exact)
  const silent = `U${randomUUID()}`
  await change(silent, true)
  await checkin(silent, 1.5)
  await pointAt(1.5)
  const said = async (from = opened().map) => {
    const { points } = await data('', { from })
    return points.filter((point) => [lat, 1.5].includes(point.lat)).map((point) => ({ ...point }))
  }
  const before = (await said()).toSorted((a, b) => a.lat - b.lat)
  expect(before).toMatchObject([{ lat: 1.5 }, { lat, accuracy: 7 }])
  expect(before[0]).not.toHaveProperty('accuracy')
  await opened().service.post('/internal/flush')
  const second = await startMap()
  expect((await said(second)).toSorted((a, b) => a.lat - b.lat)).toEqual(before)
  const columns = (await data('?format=columns', { from: second })) as unknown as Record<string, unknown[]>
  const at = (place: number) => columns.accuracy?.[columns.lat?.indexOf(place * 1e6) ?? -1]
  expect([at(1.5), at(lat)]).toEqual([null, 7])
  await second.close()
})
