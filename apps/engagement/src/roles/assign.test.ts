import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { ROLE_LEVEL, ROLES, type Role } from '@palanquin/domain/role'
import { emptyTables } from '@palanquin/testing/empty-tables'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { startTestService, type TestService } from '../../test/service.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
beforeEach(async () => {
  await emptyTables(service.sql, 'engagement.roles', 'engagement.audit', 'engagement.participants')
})
afterAll(() => service.close())

type Present = Role | null
const PRESENT_ROLES: readonly Present[] = [...ROLES, null]

const assign = (role: unknown, { by = 'owner', userId = 'U1' }: { by?: Role; userId?: string } = {}) =>
  service.call('/admin/roles', { body: { userId, role }, tier: ROLE_LEVEL[by] })
const presentRole = async (userId = 'U1'): Promise<unknown> =>
  (await service.sql`SELECT role FROM engagement.roles WHERE user_id = ${userId}`)[0]?.role ?? null
const setRole = async (role: Present) => {
  await emptyTables(service.sql, 'engagement.roles')
  if (role) await service.sql`INSERT INTO engagement.roles VALUES ('U1', ${role}, 'owner')`
}
const audited = async () => [
  ...(await service.sql`SELECT type, by, detail FROM engagement.audit ORDER BY id`),
]

test('a manager assigns only volunteers, an owner any role, a volunteer and the public none', async () => {
  for (const by of ROLES)
    for (const present of PRESENT_ROLES)
      for (const role of PRESENT_ROLES) {
        await setRole(present)
        const { status, body } = await assign(role, { by })
        const below = (one: Present) => one === null || one === 'volunteer'
        const may = by === 'owner' || (by === 'manager' && below(present) && below(role))
        expect([by, present, role, status]).toEqual([by, present, role, may ? 200 : 403])
        expect(await presentRole()).toBe(may ? role : present)
        if (may) expect(body.data).toEqual({ userId: 'U1', role })
        else expect(body.error).toBeString()
      }
  expect((await service.call('/admin/roles', { body: { userId: 'U1', role: 'volunteer' } })).status).toBe(401)
  expect((await service.call('/admin/roles')).status).toBe(401)
  expect((await service.call('/admin/roles', { tier: 1 })).status).toBe(403)
})

test("assigned roles are audited with the caller's role; refused and repeated calls are not", async () => {
  await assign('volunteer', { by: 'manager' })
  await assign('volunteer', { by: 'manager' })
  await assign('manager', { by: 'manager' })
  await assign('manager')
  await assign(null, { by: 'manager' })
  await assign(null)
  await assign(null)
  expect(await audited()).toEqual([
    { type: 'role.given', by: 'manager', detail: { userId: 'U1', role: 'volunteer' } },
    { type: 'role.given', by: 'owner', detail: { userId: 'U1', role: 'manager' } },
    { type: 'role.taken', by: 'owner', detail: { userId: 'U1', role: 'manager' } },
  ])
})

test('an unknown userId becomes a participant, but not by a call that is refused', async () => {
  await assign('owner', { by: 'manager', userId: 'refused' })
  await assign('volunteer', { by: 'manager', userId: 'given' })
  await assign(null, { by: 'manager', userId: 'named' })
  const known = await service.sql`SELECT user_id FROM engagement.participants ORDER BY user_id`
  expect(known.map(({ user_id }) => user_id)).toEqual(['given', 'named'])
})

test('the last owner’s role may be taken', async () => {
  await assign('owner')
  expect((await assign(null)).body.data).toEqual({ userId: 'U1', role: null })
  expect((await service.data('/admin/roles', { tier: 3 })).total).toBe(0)
})

test('a manager cannot overwrite a role that an owner gives concurrently', async () => {
  for (let round = 0; round < 10; round++) {
    await setRole('volunteer')
    const [owner] = await Promise.all([
      assign('owner'),
      ...Array.from({ length: 3 }, () => assign(null, { by: 'manager' })),
      ...Array.from({ length: 3 }, () => assign('volunteer', { by: 'manager' })),
    ])
    expect([owner.status, await presentRole()]).toEqual([200, 'owner'])
  }
})

test('a role that was given or taken before its person was erased is none of who comes after', async () => {
  const { before, after } = await service.tombstone('U1')
  const late = (role: Present, headers: Record<string, string>) =>
    service.call('/admin/roles', { body: { userId: 'U1', role }, tier: 3, headers })
  expect((await late('volunteer', before)).status).toBe(503)
  expect(await presentRole()).toBeNull()
  expect((await late('volunteer', after)).status).toBe(200)
  expect((await late(null, before)).status).toBe(503)
  expect(await presentRole()).toBe('volunteer')
})

test('an invalid userId or role is 400 and names the field', async () => {
  for (const [body, name] of [
    [{ userId: 'U1' }, 'role'],
    [{ userId: 'U1', role: 'king' }, 'role'],
    [{ userId: 'a b', role: 'volunteer' }, 'userId'],
    [{ role: 'volunteer' }, 'userId'],
  ] as const) {
    const { status, body: said } = await service.call('/admin/roles', { body, tier: 3 })
    expect([status, String(said.error).split(':')[0]]).toEqual([400, name])
  }
})

test('the list shows each role once, with giver and time, while others are given', async () => {
  await service.data('/user/sync', { body: { userId: 'U-03', displayName: '林媽媽' } })
  const ids = Array.from({ length: 7 }, (_, i) => `U-0${i}`)
  for (const userId of ids) await assign('volunteer', { userId, by: 'manager' })
  type Page = { items: { userId: string }[]; nextCursor: string | null; total: number }
  const page = async (query: string) =>
    (await service.data(`/admin/roles?${query}`, { tier: 2 })) as unknown as Page
  const seen: unknown[] = []
  let cursor: string | null = null
  let added = 0
  do {
    const { items, nextCursor, total } = await page(`limit=3${cursor ? `&cursor=${cursor}` : ''}`)
    expect(total).toBe(ids.length + added)
    seen.push(...items)
    cursor = nextCursor
    await assign('manager', { userId: `A-${added++}` })
    await assign('owner', { userId: 'U-06' })
  } while (cursor)
  expect(seen).toEqual(
    ids.map((userId) => ({
      userId,
      role: userId === 'U-06' ? 'owner' : 'volunteer',
      displayName: userId === 'U-03' ? '林媽媽' : null,
      givenBy: userId === 'U-06' ? 'owner' : 'manager',
      givenAt: expect.stringMatching(/\.\d{3}Z$/),
    })),
  )
})
