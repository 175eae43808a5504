import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { FEEDBACK_CATEGORIES, FEEDBACK_STATUSES } from '@palanquin/domain/feedback'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { startTestService, type TestService } from '../../test/service.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
beforeEach(async () => {
  await service.sql`TRUNCATE engagement.feedback`
})
afterAll(() => service.close())

type Item = { id: string; category: string; status: string }
type Page = { items: Item[]; nextCursor: string | null; total: number }
const page = async (query: string, tier: 0 | 2 = 2) =>
  (await service.data(`/feedback?${query}`, { tier })) as unknown as Page
const send = async (category = 'bug'): Promise<string> =>
  String((await service.data('/feedback', { body: { category, message: 'm' } })).id)

test('every item is listed once, newest first, while others arrive and are answered', async () => {
  const sent: string[] = []
  for (let i = 0; i < 25; i++) sent.unshift(await send())
  for (const tier of [0, 2] as const) {
    const seen: string[] = []
    let cursor: string | null = null
    do {
      const { items, nextCursor } = await page(`limit=10${cursor ? `&cursor=${cursor}` : ''}`, tier)
      seen.push(...items.map(({ id }) => id))
      cursor = nextCursor
      await send()
      await service.call(`/feedback/${seen[0]}`, { method: 'PATCH', body: { reply: 'r' }, tier: 2 })
    } while (cursor)
    expect(seen.filter((id) => sent.includes(id))).toEqual(sent)
    expect(new Set(seen).size).toBe(seen.length)
  }
})

test('filters by status, by category and by both, and total counts what matches', async () => {
  for (const category of FEEDBACK_CATEGORIES)
    for (const status of FEEDBACK_STATUSES)
      for (let i = 0; i < 2; i++)
        await service.sql`UPDATE engagement.feedback SET status = ${status} WHERE id = ${await send(category)}`
  const all = await page('')
  expect([all.items.length, all.total, all.nextCursor]).toEqual([32, 32, null])
  for (const [query, fits] of [
    ['status=in_progress', ({ status }: Item) => status === 'in_progress'],
    ['category=praise', ({ category }: Item) => category === 'praise'],
    ['status=open&category=bug', ({ status, category }: Item) => status === 'open' && category === 'bug'],
  ] as const) {
    const { items, total } = await page(query)
    expect(items).toEqual(all.items.filter(fits))
    expect(total).toBe(items.length)
    const first = await page(`${query}&limit=1`)
    expect([first.items.length, first.total]).toEqual([1, total])
    const second = await page(`${query}&limit=1&cursor=${first.nextCursor}`)
    expect([...first.items, ...second.items]).toEqual(items.slice(0, 2))
  }
})

test('an invalid filter, limit or cursor is 400 and names the field', async () => {
  for (const [query, name] of [
    ['status=done', 'status'],
    ['category=rant', 'category'],
    ['limit=0', 'limit'],
    ['limit=1001', 'limit'],
    ['limit=ten', 'limit'],
    ['cursor=x', 'cursor'],
  ]) {
    const { status, body } = await service.call(`/feedback?${query}`)
    expect([status, String(body.error).split(':')[0]]).toEqual([400, name])
  }
})

test('a page of twenty thousand items uses an index', async () => {
  await service.sql`
    INSERT INTO engagement.feedback (category, message, status, edit_token_hash)
    SELECT (ARRAY['bug', 'suggestion', 'praise'])[1 + n % 3], repeat('m', 200),
      (ARRAY['resolved', 'rejected'])[1 + n % 2], sha256(n::text::bytea) FROM generate_series(1, 20000) AS n`
  await service.sql`ANALYZE engagement.feedback`
  const plan = async (where: string) =>
    (
      await service.sql.unsafe(
        `EXPLAIN SELECT id FROM engagement.feedback WHERE ${where} ORDER BY seq DESC LIMIT 101`,
      )
    )
      .map((row) => row['QUERY PLAN'])
      .join('\n')
  for (const where of [
    'seq < 10000',
    "status = 'open' AND seq < 10000",
    "category = 'other' AND seq < 10000",
  ])
    expect(await plan(where)).toMatch(/Index (Only )?Scan/)
  const { total, items } = await page('status=open&limit=1')
  expect([total, items.length]).toEqual([0, 0])
})
