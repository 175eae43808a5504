import { expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { COUNTED_AFTER_MS, type Density } from '@palanquin/domain/density'
import { VISIBILITIES, type Visibility } from '@palanquin/domain/participant'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { mapOf, untilFlushed } from '../../test/harness.ts'
import { listenTo, type MapEvent } from '../../test/listen.ts'
import { MANAGER, type MapData, mapHarness } from '../../test/map-harness.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const { opened, data, checkin, pointAt, startMap } = mapHarness()

const choose = (userId: string, visibility: Visibility, displayName: string) => opened().given.sql`
  INSERT INTO engagement.participants (user_id, consent, visibility, display_name)
  VALUES (${userId}, true, ${visibility}, ${displayName})
  ON CONFLICT (user_id) DO UPDATE SET visibility = excluded.visibility, updated_at = now()`

/** People in the cells of the crowd, as a map says whose clock is ahead. */
const counted = async (aheadMs: number): Promise<number> => {
  const map = await mapOf(opened().given, { now: () => Date.now() + aheadMs })
  await until(async () => (await map.get('/data')).status === 200, { what: 'the map is loaded' })
  const { body } = await map.get('/density')
  await map.close()
  return (body.data as Density).n.reduce((sum, n) => sum + n, 0)
}

test('who chose the crowd is counted and is no dot, who chose no name is a dot without one', async () => {
  const names = { hidden: '阿零', crowd: '阿一', anonymous: '阿二', named: '阿三' }
  for (const visibility of VISIBILITIES) {
    await choose(visibility, visibility, names[visibility])
    await checkin(visibility, 24.0001, 120.6001)
  }
  await until(async () => (await data('', { headers: MANAGER })).total === 4, { what: 'all four' })
  await until(async () => (await data()).total === 2, { what: 'two dots' })
  expect((await data()).points.map(({ displayName }) => displayName ?? null).toSorted()).toEqual([
    null,
    '阿三',
  ])
  const columns = (await data('?format=columns')) as unknown as { displayName: (string | null)[] }
  expect(columns.displayName.toSorted()).toEqual([null, '阿三'])
  expect(await counted(COUNTED_AFTER_MS)).toBe(3)
  // Managers share a built response for a moment, which may be from before the names were read.
  const namesForManager = async () =>
    (await data('', { headers: MANAGER })).points.map(({ displayName }) => displayName ?? '').toSorted()
  await until(async () => Bun.deepEquals(await namesForManager(), Object.values(names).toSorted()), {
    what: 'all names for a manager',
  })
})

test('somebody is counted from 15 minutes after their first point arrived, also by a map that started later', async () => {
  const { given, service } = opened()
  for (const userId of ['new-1', 'new-2', 'new-3']) {
    await choose(userId, 'crowd', '新')
    await checkin(userId, 22.0001, 120.6001)
  }
  for (const isFlushed of [false, true]) {
    if (isFlushed) await untilFlushed(service)
    expect(await counted(COUNTED_AFTER_MS / 2)).toBe(0)
    expect(await counted(COUNTED_AFTER_MS)).toBe(6)
  }
  await given.sql`UPDATE tracking.tracks SET first_at = now() - interval '15 minutes' WHERE user_id LIKE 'new-%'`
  expect(await counted(0)).toBe(3)
})

const allOf = (events: readonly MapEvent[]) => ({
  points: events.flatMap(({ data: { points } }) => points),
  removed: events.flatMap(({ data: { removed } }) => removed ?? []),
})
/** What of a participant at a latitude is public from now on, on both processes and on a stream. */
const follow = async (lat: number) => {
  const [{ id }] = await Promise.all([pointAt(lat), pointAt(lat, opened().other)])
  const { cursor } = await data()
  const stream = await listenTo(opened().map, `?since=${cursor}`)
  const isReplaced = ({ points, removed = [] }: Pick<MapData, 'points' | 'removed'>) =>
    removed.includes(id) && points.find((point) => point.lat === lat && point.id !== id)
  return {
    id,
    untilReplaced: async () => {
      const found = await Promise.all([
        ...[opened().map, opened().other].map((from) =>
          until(async () => isReplaced(await data(`?since=${cursor}`, { from })), { what: 'another id' }),
        ),
        until(() => isReplaced(allOf(stream.events)), { what: 'another id on the stream' }),
      ])
      for (const point of found) expect(point.id).toBe(found[0]?.id ?? '')
      await stream.close()
      return found[0]?.id ?? ''
    },
  }
}

test('who shows less than before, or consents anew, has another public id, and the old one leaves every map', async () => {
  const userId = `U${randomUUID()}`
  const at = 24.7
  const privacy = (consent: boolean, visibility: Visibility) => opened().given.sql`
    UPDATE engagement.participants SET consent = ${consent}, visibility = ${visibility}, updated_at = now()
     WHERE user_id = ${userId}`
  await choose(userId, 'named', '阿五')
  await checkin(userId, at)
  const named = await follow(at)
  await privacy(true, 'anonymous')
  const anonymous = await named.untilReplaced()

  const { cursor } = await data()
  await privacy(true, 'named')
  await until(async () => (await pointAt(at)).displayName === '阿五', { what: 'the name again' })
  expect(await pointAt(at)).toMatchObject({ id: anonymous })
  expect(await data(`?since=${cursor}`)).toMatchObject({ removed: [] })

  const before = await follow(at)
  await privacy(false, 'named')
  await until(async () => !(await data()).points.some(({ lat }) => lat === at), { what: 'no dot' })
  await privacy(true, 'named')
  const anew = await before.untilReplaced()
  expect(new Set([named.id, anonymous, anew]).size).toBe(3)

  const late = await startMap()
  const { removed } = await data(`?since=${cursor}`, { from: late })
  expect(removed).toEqual(expect.arrayContaining([named.id, anonymous]))
  expect(await pointAt(at, late)).toMatchObject({ id: anew })
  await late.close()
})

test('an open map loses the dot, or its name, by the next delta, on every process', async () => {
  const userId = `U${randomUUID()}`
  await choose(userId, 'named', '阿四')
  await checkin(userId, 24.5)
  const [{ id }] = await Promise.all([pointAt(24.5), pointAt(24.5, opened().other)])
  const { cursor } = await data()
  expect(await data(`?since=${cursor}`)).toMatchObject({ points: [], removed: [] })

  await choose(userId, 'anonymous', '阿四')
  for (const from of [opened().map, opened().other]) {
    const delta = await until(
      async () => {
        const { points, removed } = await data(`?since=${cursor}`, { from })
        return removed?.includes(id) && points.find(({ lat, displayName }) => lat === 24.5 && !displayName)
      },
      { what: 'the dot without its name' },
    )
    expect(delta.id).not.toBe(id)
  }

  await choose(userId, 'crowd', '阿四')
  for (const from of [opened().map, opened().other])
    await until(async () => (await data(`?since=${cursor}`, { from })).removed?.length === 2, {
      what: 'the removal under both ids',
    })
  expect(JSON.stringify(await data())).not.toContain(id)

  await choose(userId, 'named', '阿四')
  const back = await until(
    async () => (await data(`?since=${cursor}`)).points.find((point) => point.lat === 24.5),
    { what: 'the return' },
  )
  expect(back.displayName).toBe('阿四')
})
