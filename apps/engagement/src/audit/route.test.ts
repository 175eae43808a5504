import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { startTestService, type TestService } from '../../test/service.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

let service: TestService
beforeAll(async () => {
  service = await startTestService()
  await service.sql`INSERT INTO engagement.audit (type, by, at, detail) VALUES
    ('role.given', 'owner', '2026-05-01T15:00:00Z', '{"userId": "U1", "role": "volunteer"}'),
    ('role.taken', 'U-anna', '2026-05-01T16:00:00Z', '{"userId": "U2"}'),
    ('participant.searched', 'U1', '2026-05-01T17:00:00Z', '{"asked": "x", "reason": "y", "userIds": ["U2", "U3"]}'),
    ('activity.changed', 'manager', '2026-05-01T18:00:00Z', '{"status": "paused"}')`
})
afterAll(() => service.close())

type Listed = {
  items: (Record<string, unknown> & { type: string })[]
  nextCursor: string | null
  total: number
}
const list = async (query = '') =>
  (await service.data(`/admin/audit${query}`, { tier: 2 })) as unknown as Listed
const typesOf = async (query: string) => {
  const { items, total } = await list(query)
  expect(total).toBe(items.length)
  return items.map(({ type }) => type)
}

test('entries are listed newest first by pages, with who, what and whom', async () => {
  const { items, total } = await list()
  expect([items.length, total]).toEqual([4, 4])
  expect(items[1]).toEqual({
    id: expect.any(Number),
    at: '2026-05-01T17:00:00.000Z',
    type: 'participant.searched',
    by: 'U1',
    detail: { asked: 'x', reason: 'y', userIds: ['U2', 'U3'] },
  })
  const first = await list('?limit=3')
  const second = await list(`?limit=3&cursor=${first.nextCursor}`)
  expect([...first.items, ...second.items]).toEqual(items)
  expect(second.nextCursor).toBeNull()
})

test('by the person who acted or whom it is about, by act or kind of act, and by time', async () => {
  expect(await typesOf('?person=U1')).toEqual(['participant.searched', 'role.given'])
  expect(await typesOf('?person=U2')).toEqual(['participant.searched', 'role.taken'])
  expect(await typesOf('?person=manager')).toEqual(['activity.changed'])
  expect(await typesOf('?person=nobody')).toEqual([])
  expect(await typesOf('?act=role')).toEqual(['role.taken', 'role.given'])
  expect(await typesOf('?act=role.given')).toEqual(['role.given'])
  expect(await typesOf('?act=rol')).toEqual([])
  expect(await typesOf('?act=role&person=U2')).toEqual(['role.taken'])
  expect(await typesOf('?from=2026-05-01T16:00:00Z&to=2026-05-01T18:00:00Z')).toEqual([
    'participant.searched',
    'role.taken',
  ])
})

test('an invalid query is 400 and names the field; a lower tier is refused', async () => {
  for (const [query, field] of [
    ['?act=%25', 'act'],
    ['?person=', 'person'],
    ['?from=yesterday', 'from'],
    ['?limit=0', 'limit'],
    ['?cursor=x', 'cursor'],
  ] as const) {
    const { status, body } = await service.call(`/admin/audit${query}`, { tier: 2 })
    expect([query, status, String(body.error).split(':')[0]]).toEqual([query, 400, field])
  }
  expect((await service.call('/admin/audit', { tier: 1 })).status).toBe(403)
  expect((await service.call('/admin/audit')).status).toBe(401)
})
