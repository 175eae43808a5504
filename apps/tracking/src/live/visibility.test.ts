import { expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import type { Density } from '@palanquin/domain/density'
import { VISIBILITIES, type Visibility } from '@palanquin/domain/participant'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { MANAGER, mapHarness } from '../../test/map-harness.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const { opened, data, checkin, pointAt } = mapHarness()

const choose = (userId: string, visibility: Visibility, displayName: string) => opened().given.sql`
  INSERT INTO engagement.participants (user_id, consent, visibility, display_name)
  VALUES (${userId}, true, ${visibility}, ${displayName})
  ON CONFLICT (user_id) DO UPDATE SET visibility = excluded.visibility, updated_at = now()`

/** People in the cells of the crowd. */
const counted = async (): Promise<number> => {
  const { body } = await opened().map.get('/density')
  return (body.data as Density).n.reduce((sum, n) => sum + n, 0)
}

test('who chose the crowd is counted and is no dot, who chose no name is a dot without one', async () => {
  const names = { crowd: '阿一', anonymous: '阿二', named: '阿三' }
  for (const visibility of VISIBILITIES) {
    await choose(visibility, visibility, names[visibility])
    await checkin(visibility, 24.0001, 120.6001)
  }
  await until(async () => (await data('', { headers: MANAGER })).total === 3, { what: 'all three' })
  await until(async () => (await data()).total === 2, { what: 'two dots' })
  expect((await data()).points.map(({ displayName }) => displayName ?? null).toSorted()).toEqual([
    null,
    '阿三',
  ])
  const columns = (await data('?format=columns')) as unknown as { displayName: (string | null)[] }
  expect(columns.displayName.toSorted()).toEqual([null, '阿三'])
  await until(async () => (await counted()) === 3, { what: 'three people in the crowd' })
  // Managers share a built response for a moment, which may be from before the names were read.
  const namesForManager = async () =>
    (await data('', { headers: MANAGER })).points.map(({ displayName }) => displayName ?? '').toSorted()
  await until(async () => Bun.deepEquals(await namesForManager(), Object.values(names).toSorted()), {
    what: 'all names for a manager',
  })
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
        const { points } = await data(`?since=${cursor}`, { from })
        return points.find((point) => point.id === id && point.displayName === undefined)
      },
      { what: 'the dot without its name' },
    )
    expect(delta.lat).toBe(24.5)
  }

  await choose(userId, 'crowd', '阿四')
  for (const from of [opened().map, opened().other])
    await until(async () => (await data(`?since=${cursor}`, { from })).removed?.includes(id), {
      what: 'the removal',
    })
  expect(JSON.stringify(await data())).not.toContain(id)

  await choose(userId, 'named', '阿四')
  const back = await until(
    async () => (await data(`?since=${cursor}`)).points.find((point) => point.id === id),
    { what: 'the return' },
  )
  expect(back.displayName).toBe('阿四')
})
