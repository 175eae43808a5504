import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { createLog } from '@palanquin/service/log'
import { HANG_MS } from '@palanquin/testing/hang'
import { bufferOf } from '../../../test/buffer.ts'
import { keysOf, type Stand, startStand } from '../../../test/stand.ts'
import { unregisteredAt } from './buffered-user-ids.ts'
import { SORTS } from './order.ts'

setDefaultTimeout(HANG_MS)

const NEW = ['fresh-checkin', 'fresh-sync']
let told: string[] = []
let stand: Stand
beforeAll(async () => {
  stand = await startStand({ unregistered: async () => told })
  for (const userId of ['known-1', 'known-2', 'known-3'])
    await stand.data('/user/sync', { body: { userId, displayName: userId } })
  await bufferOf(stand, 'fresh-checkin').checkin()
  await stand.redis.sAdd(keysOf('fresh-sync').waiting, 'fresh-sync')
  await bufferOf(stand, 'known-1').checkin()
  told = [...NEW, 'known-1', 'gone-by-now']
})
afterAll(() => stand.close())

type Item = { userId: string; checkins: number }
const list = async (query: string) =>
  (await stand.data(`/admin/users${query}`, { tier: 2 })) as {
    items: Item[]
    nextCursor: string | null
    total: number
  }

test('who sent their first points a moment ago is in the list, once, in every order; who is not in the buffer any more is not', async () => {
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

test('their figures are those of the profile, and they are found by the beginning of their id', async () => {
  for (const userId of NEW) {
    const profile = await stand.data(`/user/${userId}`)
    for (const q of [userId, userId.slice(0, -1)])
      expect(await list(`?q=${q}`)).toMatchObject({ items: [profile], total: 1 })
  }
  expect((await list('?status=withdrawn')).total).toBe(0)
  const table = await (await stand.respond('/admin/users?format=csv', { tier: 2 })).text()
  for (const userId of NEW) expect(table).toContain(`\r\n${userId},`)
})

test('without tracking the list goes without them, at once', async () => {
  const log = createLog({ service: 'engagement', level: 'silent' })
  const away = unregisteredAt({ url: 'http://127.0.0.1:1', internalToken: 'x', log })
  expect(await away()).toEqual([])
})
