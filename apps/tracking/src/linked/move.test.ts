import { afterAll, beforeAll, beforeEach, expect, describe as group, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { shardOf } from '@palanquin/domain/ids'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { figuresWithout, walk } from '../../test/erasure-harness.ts'
import { type Service, type Stores, stores, tracking, untilFlushed, untilTaken } from '../../test/harness.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

let given: Stores
let service: Service
beforeAll(async () => {
  given = await stores()
  service = await tracking(given)
})
afterAll(async () => {
  await service.close()
  await given.close()
})

const sync = async (userId: string, points: object[]) => {
  const synced = await untilTaken(() => service.post('/track/sync', { userId, source: 'auto', points }))
  expect(synced.status).toBe(200)
}
const checkin = async (userId: string, point: object) =>
  expect((await service.post('/checkin', { userId, note: '平安', ...point })).status).toBe(202)
const flush = () => untilFlushed(service)
const erase = (userId: string) => untilTaken(() => service.post('/internal/erase', { userId }))
const link = (device: string, person: string) =>
  given.sql`INSERT INTO engagement.links (device_id, user_id) VALUES (${device}, ${person})`
const pointsOf = async (userId: string) => [
  ...(await given.sql`SELECT recorded_at, kind, lat, lng, accuracy, source, note FROM tracking.points
    WHERE user_id = ${userId} ORDER BY recorded_at, kind`),
]
const trackOf = async (userId: string) => {
  const [row] =
    await given.sql`SELECT walked_km, points, checkins FROM tracking.tracks WHERE user_id = ${userId}`
  return row && { km: Math.round(Number(row.walked_km) * 1e6), points: row.points, checkins: row.checkins }
}
const rollupsOf = async (userId: string) =>
  Number(
    (await given.sql`SELECT count(*) FROM tracking.participant_hours WHERE user_id = ${userId}`)[0]?.count,
  )

/** An id of the same shard as another, or of another shard. */
function idBeside(userId: string, where: 'same' | 'other'): string {
  for (;;) {
    const id = `w_${randomUUID().replaceAll('-', '').slice(0, 22)}`
    if ((shardOf(id) === shardOf(userId)) === (where === 'same')) return id
  }
}

group.each(['same', 'other'] as const)('a device of the %s shard', (where) => {
  let person = ''
  let device = ''
  beforeEach(() => {
    person = `U${randomUUID().replaceAll('-', '')}`
    device = idBeside(person, where)
  })

  test('counts for the person as if they had walked it all themselves, and what both hold once', async () => {
    const way = walk(24.2, 60)
    const reference = `${person}-alone`
    const places = [way[5], way[20], way[40]].map((point) => ({ ...point, accuracy: 9 }))
    await sync(reference, way)
    for (const place of places) await checkin(reference, place)
    await sync(device, way.slice(0, 40))
    await sync(person, way.slice(30))
    for (const place of places.slice(0, 2)) await checkin(device, place)
    for (const place of places.slice(1)) await checkin(person, place)
    await flush()
    await link(device, person)
    await flush()
    expect(await trackOf(person)).toEqual(await trackOf(reference))
    expect(await pointsOf(person)).toEqual(await pointsOf(reference))
    expect([await trackOf(device), await pointsOf(device), await rollupsOf(device)]).toEqual([
      undefined,
      [],
      0,
    ])
  })

  test('leaves the sums of hours, days and cells so that erasing the person leaves nothing of both', async () => {
    const before = await figuresWithout(given, person)
    const way = walk(24.3, 50)
    await sync(device, way.slice(0, 30))
    await sync(person, way.slice(20))
    await flush()
    await link(device, person)
    await flush()
    expect(await figuresWithout(given, person)).not.toEqual(before)
    expect((await erase(person)).status).toBe(200)
    expect(await figuresWithout(given, person)).toEqual(before)
  })

  test('that still sends, or whose check-ins were in the buffer, adds to the person at the next flush', async () => {
    const way = walk(24.4, 40)
    await sync(device, way.slice(0, 20))
    await link(device, person)
    await flush()
    await sync(device, way.slice(20))
    await checkin(device, { ...way[10], accuracy: 5 })
    await flush()
    expect((await trackOf(person))?.points).toBe(41)
    expect((await trackOf(person))?.checkins).toBe(1)
    expect(await trackOf(device)).toBeUndefined()
  })

  test('is moved once, however often and by however many processes at once', async () => {
    const other = await tracking(given, { env: { JOURNAL_DIR: `${given.folder}/${randomUUID()}` } })
    await sync(device, walk(24.5, 60))
    await flush()
    await link(device, person)
    await Promise.all([service, other, service, other].map((one) => one.post('/internal/flush')))
    await flush()
    expect((await trackOf(person))?.points).toBe(60)
    expect(await trackOf(device)).toBeUndefined()
    await other.close()
  })

  test('brings nothing back of a person who was erased after it arrived', async () => {
    await sync(device, walk(24.6, 20))
    await flush()
    await sync(person, walk(24.7, 5))
    await flush()
    await given.sql`SELECT pg_sleep(0.01)`
    expect((await erase(person)).status).toBe(200)
    await link(device, person)
    await flush()
    expect([await trackOf(person), await pointsOf(person), await trackOf(device)]).toEqual([
      undefined,
      [],
      undefined,
    ])
  })

  test('keeps its beacon, and what it carried stays out of the figures', async () => {
    const [beacon] = await given.sql`
      INSERT INTO tracking.beacons (kind, name_zh, name_en) VALUES ('palanquin', '鑾轎', 'Palanquin') RETURNING id`
    await given.sql`INSERT INTO tracking.beacon_devices (user_id, beacon_id, since)
      VALUES (${device}, ${beacon?.id}, now() - interval '1 day')`
    await sync(device, walk(24.8, 10))
    await flush()
    await link(device, person)
    await flush()
    expect(await given.sql`SELECT user_id FROM tracking.beacon_devices`).toMatchObject([{ user_id: person }])
    const [carried] =
      await given.sql`SELECT count(*)::int FROM tracking.carried_points WHERE user_id = ${person}`
    expect([carried?.count, await trackOf(person)]).toEqual([10, undefined])
    await given.sql`DELETE FROM tracking.beacons`
  })
})
