import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { createLog } from '@palanquin/service/log'
import { serviceClient } from '@palanquin/service/service-client'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { bufferOf } from '../../../test/buffer.ts'
import { keysOf, startTestService, type TestService } from '../../../test/service.ts'
import { SORTS } from './order.ts'
import { unregisteredOnMap } from './unregistered-on-map.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const NEW = ['fresh-checkin', 'fresh-sync']
let onMap: string[] = []
let service: TestService
beforeAll(async () => {
  service = await startTestService({ unregisteredOnMap: async () => onMap })
  for (const userId of ['known-1', 'known-2', 'known-3'])
    await service.data('/user/sync', { body: { userId, displayName: userId } })
  await bufferOf(service, 'fresh-checkin').checkin()
  await service.redis.sAdd(keysOf('fresh-sync').waiting, 'fresh-sync')
  await bufferOf(service, 'known-1').checkin()
  onMap = [...NEW, 'known-1', 'erased-since']
})
afterAll(() => service.close())

type Item = { userId: string; checkins: number }
const list = async (query: string) =>
  (await service.data(`/admin/users${query}`, { tier: 2 })) as {
    items: Item[]
    nextCursor: string | null
    total: number
  }

test('unregistered participants in the buffer are listed once in every order; erased ones are not', async () => {
  for (const sort of SORTS) {
    const seen: Item[] = []
    let cursor = ''
    do {
      const { items, nextCursor, total } = await list(`?limit=2&sort=${sort}${cursor}`)
      expect(total).toBe(5)
      seen.push(...items)
      cursor = nextCursor === null ? '' : `&cursor=${nextCursor}`
    } while (cursor !== '')
    expect(seen.map(({ userId }) => userId).toSorted()).toEqual([...NEW, 'known-1', 'known-2', 'known-3'])
  }
})

test('unregistered participants have the numbers of their profile and are found by a prefix of their id', async () => {
  for (const userId of NEW) {
    const profile = await service.data(`/user/${userId}`)
    for (const q of [userId, userId.slice(0, -1)])
      expect(await list(`?q=${q}`)).toMatchObject({ items: [profile], total: 1 })
  }
  expect((await list('?status=withdrawn')).total).toBe(0)
  const table = await (await service.respond('/admin/users?format=csv', { tier: 2 })).text()
  for (const userId of NEW) expect(table).toContain(`\r\n${userId},`)
})

test('without the map the list is served at once, without them', async () => {
  const map = serviceClient({ name: 'map', to: 'http://127.0.0.1:1', internalToken: 'x' })
  const log = createLog({ service: 'engagement', level: 'silent' })
  const away = unregisteredOnMap({ map, log })
  expect(await away()).toEqual([])
})
