import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { allOf, startChat, type TestChat } from '../../test/chat.ts'
import { actionOf } from '../conversation/vocabulary/postback.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

let chat: TestChat
beforeAll(async () => {
  chat = await startChat()
})
afterAll(() => chat.close())
beforeEach(() => chat.reset())

const deploy = async (tier = '3') => {
  const answer = await chat.call('/admin/richmenu', { method: 'POST', headers: { 'x-internal-tier': tier } })
  const body = (await answer.json()) as { data: { richMenuId: string; richMenuIds: Record<string, string> } }
  return { status: answer.status, ...body.data }
}
const menus = () => chat.control.richMenus.all()
const notes = async () =>
  (await chat.sql`SELECT data FROM line.outbox WHERE type = 'admin.acted' ORDER BY seq`).map(
    (row) => row.data,
  )

test('the menu is deployed with its picture and six areas that do what their words say, and noted', async () => {
  const { status, richMenuId, richMenuIds } = await deploy()
  expect(status).toBe(200)
  expect(chat.control.richMenus.default()).toBe(richMenuId)
  expect(richMenuIds['zh-TW']).toBe(richMenuId)
  expect(menus().map(({ menu }) => menu.name)).toEqual(['palanquin zh-TW', 'palanquin en'])
  for (const { menu, picture } of menus()) {
    expect(picture?.contentType).toBe('image/png')
    const areas = menu.areas?.map(({ bounds }) => Number(bounds?.width) * Number(bounds?.height)) ?? []
    expect(areas.reduce((sum, area) => sum + area, 0)).toBe(2500 * 1686)
    expect(
      menu.areas?.map(({ action }) => action?.type === 'postback' && actionOf(action.data ?? '')?.action),
    ).toEqual([...(['checkin', 'mileage', 'card', 'map', 'feedback', 'help'] as const)])
  }
  expect(await notes()).toEqual([{ action: 'richmenu.deploy', by: 'owner', detail: { richMenuId } }])
})

test('every cell of the menu, tapped, is answered', async () => {
  const person = await chat.participant()
  const { richMenuId } = await deploy()
  for (const { action } of chat.control.richMenus.find(richMenuId)?.menu.areas ?? []) {
    const event = action && chat.control.tap(person.userId, action)
    if (!event) throw new Error('a cell of the menu has an action that sends an event')
    expect(allOf(await chat.send(person, event))).not.toContain('按鈕太舊')
  }
})

test('another deployment takes the place of the first, and leaves the menus of others alone', async () => {
  const before = await deploy()
  const [own] = menus()
  if (!own) throw new Error('there is a menu')
  const others = chat.control.richMenus.create({ ...own.menu, name: 'of another tool' })
  const after = await deploy()
  expect(after.richMenuId).not.toBe(before.richMenuId)
  expect(menus().map(({ richMenuId }) => richMenuId)).toEqual([others, ...Object.values(after.richMenuIds)])
  chat.control.richMenus.delete(others)
})

test('a user who chose English sees the English menu, also after the next deployment, until they choose Chinese', async () => {
  const person = await chat.participant()
  const { richMenuIds } = await deploy()
  const seen = () => chat.control.richMenus.seenBy(person.userId)?.richMenuId
  expect(seen()).toBe(richMenuIds['zh-TW'] ?? '')
  await chat.send(person, person.text('English'))
  expect(seen()).toBe(richMenuIds.en ?? '')
  await chat.sql`UPDATE engagement.participants SET language = 'en' WHERE user_id = ${person.userId}`
  const next = await deploy()
  await until(() => seen() === next.richMenuIds.en, { what: 'the new English menu' })
  await chat.redis.del('{line}:menu:en')
  await chat.send(person, person.text('中文'))
  expect(seen()).toBe(next.richMenuIds['zh-TW'] ?? '')
  await chat.send(person, person.text('English'))
  expect(seen()).toBe(next.richMenuIds.en ?? '')
})

test.each(['richmenu-create', 'richmenu-upload', 'richmenu-default'])(
  'where LINE fails at %s everybody keeps the menu that they have, and nothing is left of the attempt',
  async (at) => {
    const { richMenuId } = await deploy()
    const before = menus().length
    chat.control.faults.order({ kind: 'error', at })
    expect((await deploy()).status).toBe(503)
    expect(chat.control.richMenus.default()).toBe(richMenuId)
    expect(menus()).toHaveLength(before)
  },
)

test('a menu that LINE refuses for its limit is an error that says so, and when to try again', async () => {
  chat.control.faults.order({ kind: 'rate', at: 'richmenu-create' })
  const headers = { 'x-internal-tier': '3' }
  const answer = await chat.call('/admin/richmenu', { method: 'POST', headers })
  const { error } = (await answer.json()) as { error: string }
  expect([answer.status, error]).toEqual([503, expect.stringContaining('its own limit is reached')])
  expect(error).not.toContain('cannot be reached')
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
})

test('two at once are one', async () => {
  const statuses = (await Promise.all([deploy(), deploy()])).map(({ status }) => status)
  expect(statuses.toSorted()).toEqual([200, 409])
  expect(chat.control.richMenus.default()).toBeDefined()
})

test('without an owner’s token it is 403, without LINE 503, and while media is away 503', async () => {
  expect((await deploy('2')).status).toBe(403)
  chat.services.away.add('media')
  expect((await deploy()).status).toBe(503)
  const { app } = chat.another({ line: null })
  const headers = { 'x-internal-token': chat.config.INTERNAL_TOKEN, 'x-internal-tier': '3' }
  const answer = await app.handle(new Request('http://line-bot/admin/richmenu', { method: 'POST', headers }))
  expect(answer.status).toBe(503)
})
