import { expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { publish } from '@palanquin/events/publish'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { MANAGER, type MapData, mapHarness } from '../../test/map-harness.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const { opened, data, checkin, pointAt, addParticipants } = mapHarness()

const newPair = () => ({ device: `w_${randomUUID()}`, person: `U${randomUUID()}` })
type Pair = ReturnType<typeof newPair>

/** What engagement's statement does to the rows. */
async function link({ device, person }: Pair) {
  const { sql } = opened().given
  await sql`INSERT INTO engagement.links (device_id, user_id) VALUES (${device}, ${person})`
  await sql`DELETE FROM engagement.participants WHERE user_id = ${device}`
  await sql`INSERT INTO engagement.participants (user_id, consent) VALUES (${person}, true)
    ON CONFLICT (user_id) DO UPDATE SET updated_at = clock_timestamp()`
}
/** What it publishes: the person, then the device that has left. */
async function announce({ device, person }: Pair) {
  const [row] = await opened().given.sql<{ at: Date }[]>`SELECT clock_timestamp() AS at`
  const common = { displayName: null, language: null, status: 'active' as const }
  for (const changed of [
    { ...common, userId: person, consent: true },
    { ...common, userId: device, consent: false, status: 'withdrawn' as const, joinedTo: person },
  ])
    await publish(opened().given.redis, {
      id: randomUUID(),
      type: 'participant.changed',
      data: changed,
      at: row?.at.toISOString() ?? '',
    })
}
let lat = 22
const nextPlace = () => {
  lat = Math.round((lat + 0.01) * 100) / 100
  return lat
}
const deltaWithPoint = (cursor: string, headers: Record<string, string> = {}): Promise<MapData> =>
  until(
    async () => {
      const delta = await data(`?since=${cursor}`, { headers })
      return delta.points.length > 0 && delta
    },
    { what: 'the point of the person in a delta' },
  )

test('a person is where their phone was as soon as it is joined, and the id of the phone is gone', async () => {
  const pair = newPair()
  const here = nextPlace()
  await addParticipants(pair.device)
  await checkin(pair.device, here, 120.6, { accuracy: 7 })
  const { id } = await pointAt(here)
  const { cursor } = await data()
  const ofManager = (await data('', { headers: MANAGER })).cursor
  await link(pair)
  await announce(pair)
  const delta = await deltaWithPoint(cursor)
  expect(delta).toMatchObject({ points: [{ lat: here }], removed: [id] })
  expect(delta.points[0]?.id).not.toBe(id)
  expect(await deltaWithPoint(ofManager, MANAGER)).toMatchObject({
    points: [{ lat: here, userId: pair.person }],
    removed: [id],
  })
  // A whole map is built at most once a second.
  await until(
    async () => {
      const { points } = await data('', { headers: MANAGER })
      return Bun.deepEquals(
        points.filter((point) => point.lat === here).map(({ userId }) => userId),
        [pair.person],
      )
    },
    { what: 'the person alone on the whole map' },
  )
})

test('a person whose own phone was heard of later stays where they are', async () => {
  const pair = newPair()
  const [before, later] = [nextPlace(), nextPlace()]
  await addParticipants(pair.device, pair.person)
  await checkin(pair.device, before)
  await pointAt(before)
  await checkin(pair.person, later)
  await pointAt(later)
  await link(pair)
  await announce(pair)
  await until(async () => !(await data()).points.some((point) => point.lat === before), {
    what: 'the device is gone',
  })
  expect((await data()).points.filter((point) => point.lat === later)).toHaveLength(1)
})

test('where the event was lost, a map that is open gets the position with the next flush', async () => {
  const pair = newPair()
  const here = nextPlace()
  const own = nextPlace()
  await addParticipants(pair.device, pair.person)
  await checkin(pair.person, own)
  await pointAt(own)
  await checkin(pair.device, here)
  await pointAt(here)
  await link(pair)
  const { cursor } = await data()
  expect((await opened().service.post('/internal/flush')).status).toBe(200)
  expect(await deltaWithPoint(cursor)).toMatchObject({ points: [{ lat: here }] })
})
