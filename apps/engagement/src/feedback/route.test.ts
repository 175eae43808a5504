import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { createHash, randomBytes } from 'node:crypto'
import { emptyTables } from '@palanquin/testing/empty-tables'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { startTestService, TAGS, type TestService } from '../../test/service.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const UNKNOWN = '00000000-0000-4000-8000-000000000000'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
beforeEach(async () => {
  await emptyTables(service.sql, 'engagement.feedback', 'engagement.audit', 'engagement.participants')
})
afterAll(() => service.close())

/** All items are counted once a second for the public. */
const counted = (counts: object) =>
  until(async () => Bun.deepEquals(await service.data('/feedback/status'), { ...NONE, ...counts }), {
    what: 'the counts',
  })
const NONE = { open: 0, in_progress: 0, resolved: 0, rejected: 0 }

const send = async (given: object = {}) => {
  const sent = await service.data('/feedback', { body: { category: 'bug', message: '地圖不會動', ...given } })
  return { id: String(sent.id), editToken: String(sent.editToken), sent }
}
const patch = (id: string, body: unknown) =>
  service.call(`/feedback/${id}`, { method: 'PATCH', body, tier: 2 })
const rowOf = async (id: string) => (await service.sql`SELECT * FROM engagement.feedback WHERE id = ${id}`)[0]

test('new feedback is open; its edit token is random, and only its SHA-256 is stored', async () => {
  const { id, editToken, sent } = await send()
  expect(sent).toEqual({ id, status: 'open', editToken })
  expect(Buffer.from(editToken, 'base64url').length).toBeGreaterThanOrEqual(16)
  const row = await rowOf(id)
  expect(row?.edit_token_hash).toEqual(createHash('sha256').update(editToken).digest())
  expect(JSON.stringify(row)).not.toContain(editToken)
  expect((await send()).editToken).not.toBe(editToken)
})

test('feedback that is sent again with its edit token is stored once, with the words of the first', async () => {
  const editToken = randomBytes(32).toString('base64url')
  const all = await Promise.all(Array.from({ length: 5 }, () => send({ editToken })))
  expect(new Set(all.map(({ id }) => id)).size).toBe(1)
  expect(all.map(({ sent }) => sent.editToken)).toEqual(Array(5).fill(TAGS.tagged('edit token', editToken)))
  expect((await send({ editToken, message: 'other words' })).id).toBe(String(all[0]?.id))
  const stored = await service.sql`SELECT message FROM engagement.feedback`
  expect([...stored]).toEqual([{ message: '地圖不會動' }])
  for (const weak of ['a'.repeat(42), 'a'.repeat(44), `${'a'.repeat(42)}+`]) {
    const { status, body } = await service.call('/feedback', {
      body: { category: 'bug', message: 'm', editToken: weak },
    })
    expect([status, String(body.error).split(':')[0]]).toEqual([400, 'editToken'])
  }
})

test('an unknown userId becomes a participant with that id alone', async () => {
  await send({ userId: 'U-new' })
  expect(await service.data('/user/U-new')).toMatchObject({ userId: 'U-new', displayName: null, phone: null })
  await send()
  expect(await service.sql`SELECT user_id FROM engagement.participants`).toHaveLength(1)
})

test('a message has 1 to 2000 graphemes, and an error names the field', async () => {
  const families = '👨‍👩‍👧‍👦'.repeat(2000)
  expect((await rowOf((await send({ message: families })).id))?.message).toBe(families)
  expect((await rowOf((await send({ message: ' 讚 ' })).id))?.message).toBe('讚')
  for (const [given, name] of [
    [{ message: `${families}a` }, 'message'],
    [{ message: '  ' }, 'message'],
    [{ message: undefined }, 'message'],
    [{ message: 'a\u0000b' }, 'message'],
    [{ category: 'rant' }, 'category'],
    [{ category: undefined }, 'category'],
    [{ screenshot: '../x.png' }, 'screenshot'],
    [{ screenshot: 'never-uploaded' }, 'screenshot'],
    [{ screenshot: 7 }, 'screenshot'],
  ] as const) {
    const { status, body } = await service.call('/feedback', {
      body: { category: 'bug', message: 'm', ...given },
    })
    expect([status, String(body.error).split(':')[0]]).toEqual([400, name])
  }
})

test('refused feedback stores nothing, not even its author', async () => {
  await service.call('/feedback', {
    body: { userId: 'U-none', category: 'bug', message: 'm', screenshot: 'unknown' },
  })
  expect((await service.call('/user/U-none')).status).toBe(404)
  await counted({})
})

test('a screenshot is found by its filename, with or without extension', async () => {
  await service.sql`
    INSERT INTO media.screenshots (filename, object_key, width, height, bytes)
    VALUES ('uploaded_1', 'screenshots/1', 8, 8, 100) ON CONFLICT DO NOTHING`
  for (const screenshot of ['uploaded_1', 'uploaded_1.png'])
    expect((await rowOf((await send({ screenshot })).id))?.screenshot).toBe('uploaded_1')
  for (const screenshot of ['', null])
    expect(
      (await service.call('/feedback', { body: { category: 'bug', message: 'm', screenshot } })).status,
    ).toBe(screenshot === null ? 200 : 400)
})

const PUBLIC_KEYS = ['id', 'category', 'status', 'createdAt', 'updatedAt', 'reply']

test('the public, and a volunteer, see neither name, userId, message nor picture; managers and owners see all', async () => {
  await service.data('/user/sync', { body: { userId: 'U-lin', displayName: '林媽媽' } })
  const { id } = await send({ userId: 'U-lin', category: 'praise' })
  await counted({ open: 1 })
  for (const tier of [0, 1] as const) {
    const list = await service.data('/feedback', { tier })
    expect(list).toEqual({
      items: [
        {
          id,
          category: 'praise',
          status: 'open',
          createdAt: expect.stringMatching(/\.\d{3}Z$/),
          updatedAt: expect.stringMatching(/\.\d{3}Z$/),
          reply: null,
        },
      ],
      nextCursor: null,
      total: 1,
    })
    expect(Object.keys((list.items as object[])[0] ?? {})).toEqual(PUBLIC_KEYS)
  }
  for (const tier of [2, 3] as const) {
    const { items } = await service.data('/feedback', { tier })
    expect(items).toEqual([
      {
        id,
        category: 'praise',
        status: 'open',
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
        reply: null,
        userId: 'U-lin',
        displayName: '林媽媽',
        message: '地圖不會動',
        screenshot: null,
      },
    ])
  }
})

test('status returns one item by id or all four counts; an unknown id is 404', async () => {
  const { id } = await send()
  await send()
  await patch(id, { status: 'in_progress', reply: '我們正在查。' })
  expect(await service.data(`/feedback/status?id=${id}`)).toEqual({
    id,
    status: 'in_progress',
    updatedAt: expect.any(String),
    reply: '我們正在查。',
  })
  await counted({ open: 1, in_progress: 1 })
  for (const unknown of [UNKNOWN, 'x', '', "'", `${id}0`])
    expect((await service.call(`/feedback/status?id=${encodeURIComponent(unknown)}`)).status).toBe(404)
})
