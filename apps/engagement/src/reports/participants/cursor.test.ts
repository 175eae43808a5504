import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { startTestService, type TestService } from '../../../test/service.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

type Page = { items: { userId: string }[]; nextCursor: string | null; total: number }

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

const list = async (query: string): Promise<Page> => {
  const data = await service.data(`/admin/users${query}`, { tier: 2 })
  return data as Page
}

test('pages stay stable while participants are added and numbers change: in order of arrival each appears once', async () => {
  await service.sql`
    INSERT INTO engagement.participants (user_id, status, created_at, updated_at)
    SELECT 'X' || i, 'active', '2027-01-01'::timestamptz + (i / 3) * interval '1 second', now() FROM generate_series(1, 30) AS i`
  const readAll = async (sort: string) => {
    const seen: string[] = []
    for (let cursor = '', pages = 0; pages === 0 || cursor; pages++) {
      expect(pages).toBeLessThan(100)
      const page = await list(`?q=X&limit=4&sort=${sort}${cursor && `&cursor=${cursor}`}`)
      seen.push(...page.items.map(({ userId }) => userId))
      cursor = page.nextCursor ?? ''
      await service.sql`
        INSERT INTO engagement.participants (user_id, created_at) VALUES (${`X-${sort}-${pages}`}, ${new Date(2000 + pages, 1)})`
      await service.sql`
        INSERT INTO tracking.tracks (user_id, shard, version, walked_km, checkins, state, last_seen_at)
        VALUES (${`X${pages * 3 + 1}`}, 0, 1, ${pages}, ${pages}, '{}', now())
        ON CONFLICT (user_id) DO UPDATE SET walked_km = tracks.walked_km + 5, checkins = tracks.checkins + 1`
    }
    return seen
  }
  const first = (await readAll('createdAt')).filter((userId) => /^X\d+$/.test(userId))
  expect(first).toHaveLength(30)
  expect(new Set(first).size).toBe(30)
  // In orders whose keys change meanwhile an item may be missed or repeated, but the pages end.
  for (const sort of ['distance', '-distance', '-checkins', '-lastSeen', 'name']) await readAll(sort)
})
