import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { ACTOR_HEADER } from '@palanquin/service/http/headers'
import { emptyTables } from '@palanquin/testing/empty-tables'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { startTestService, type TestService } from '../../test/service.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const UNKNOWN = '00000000-0000-4000-8000-000000000000'
const ANNA = { [ACTOR_HEADER]: 'U-anna' }
const PLACE = { lat: 24.5, lng: 120.7 }

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
beforeEach(async () => {
  await emptyTables(service.sql, 'engagement.lost_cases', 'engagement.audit', 'engagement.outbox')
})
afterAll(() => service.close())

type Case = Record<string, unknown> & { id: string }
const add = async (given: object = {}): Promise<Case> => {
  const { status, body } = await service.call('/admin/lost', {
    tier: 2,
    headers: ANNA,
    body: { kind: 'lost', about: 'a girl of six', phone: '0912-345-678', ...given },
  })
  expect(status).toBe(201)
  return body.data as Case
}
const change = (id: string, body: object) =>
  service.call(`/admin/lost/${id}`, { method: 'PATCH', tier: 2, headers: ANNA, body })
const list = async (tier: 1 | 2 = 2, query = '') =>
  (await service.data(`/admin/lost${query}`, { tier, headers: ANNA })) as { items: Case[]; total: number }
const audit = async () =>
  (await service.sql`SELECT type, by, detail FROM engagement.audit ORDER BY id`).map((row) => ({ ...row }))
const notified = async () => (await service.outbox()).filter(({ type }) => type === 'lost.reported').length

test('volunteers see the number masked, managers whole, and the audit names whom it was shown to, once', async () => {
  const { id } = await add({ userId: 'U-girl' })
  await add({ phone: null })
  expect((await list(1)).items.map(({ phone, userId }) => [phone, userId])).toEqual([
    [null, null],
    ['+886•••••678', null],
  ])
  expect((await audit()).filter(({ type }) => type === 'lost.read')).toEqual([])
  expect((await list()).items.map(({ phone }) => phone)).toEqual([null, '+886912345678'])
  await list()
  expect((await audit()).filter(({ type }) => type === 'lost.read')).toEqual([
    { type: 'lost.read', by: 'U-anna', detail: { ids: [id] } },
  ])
})

test('a case is taken, answered, closed and opened again; each act is audited without what it says', async () => {
  const { id } = await add()
  const taken = await change(id, { status: 'taken', reply: '正在找', notes: 'near the gate' })
  expect(taken.body.data).toMatchObject({
    status: 'taken',
    takenBy: 'U-anna',
    reply: '正在找',
    notes: 'near the gate',
  })
  expect((await list(1)).items[0]).toMatchObject({ takenBy: 'administrator' })
  expect((await change(id, { takenBy: '二隊' })).body.data).toMatchObject({
    takenBy: '二隊',
    status: 'taken',
  })
  const closed = await change(id, { status: 'closed', reply: null })
  expect(closed.body.data).toMatchObject({ status: 'closed', closedAt: expect.any(String), reply: null })
  const open = await change(id, { status: 'open' })
  expect(open.body.data).toMatchObject({
    status: 'open',
    closedAt: null,
    takenBy: null,
    notes: 'near the gate',
  })
  const acts = await audit()
  expect(acts.map(({ type, by }) => `${type} ${by}`)).toEqual([
    'lost.added U-anna',
    ...Array(4).fill('lost.changed U-anna'),
  ])
  expect(acts[1]?.detail).toEqual({ id, status: 'taken', fields: ['notes', 'reply', 'status'] })
  expect(JSON.stringify(acts)).not.toMatch(/正在找|the gate|912\D?345\D?678/)
})

test('what is left out stays, null removes, and an unknown case is 404', async () => {
  const { id } = await add({ place: PLACE, notes: 'n' })
  expect((await change(id, {})).body.data).toMatchObject({ place: PLACE, notes: 'n', phone: '+886912345678' })
  expect((await change(id, { place: null, notes: null, phone: null })).body.data).toMatchObject({
    place: null,
    notes: null,
    phone: null,
    about: 'a girl of six',
  })
  expect((await change(id, { phone: '0987654321' })).body.data).toMatchObject({ phone: '+886987654321' })
  expect((await change(id, { phone: '1' })).status).toBe(400)
  for (const unknown of [UNKNOWN, 'no-uuid']) expect((await change(unknown, { notes: 'x' })).status).toBe(404)
})

test('a new place or participant has volunteers notified again; the same ones, words and closed cases have not', async () => {
  const { id } = await add()
  expect(await notified()).toBe(1)
  await change(id, { notes: 'x', status: 'taken' })
  expect(await notified()).toBe(1)
  await change(id, { place: PLACE })
  expect(await notified()).toBe(2)
  await change(id, { place: PLACE })
  expect(await notified()).toBe(2)
  await change(id, { userId: 'U-girl' })
  expect(await notified()).toBe(3)
  await change(id, { status: 'closed', place: { lat: 24, lng: 121 } })
  await change(id, { place: null, userId: null })
  expect(await notified()).toBe(3)
})

test('the list goes newest first by pages, and by status and kind', async () => {
  const cases = [await add(), await add({ kind: 'found' }), await add()]
  await change(cases[0]?.id ?? '', { status: 'closed' })
  const ids = ({ items }: { items: Case[] }) => items.map(({ id }) => cases.findIndex((one) => one.id === id))
  expect(ids(await list())).toEqual([2, 1, 0])
  expect(ids(await list(2, '?status=open&kind=lost'))).toEqual([2])
  const first = (await list(1, '?limit=2')) as Awaited<ReturnType<typeof list>> & { nextCursor: string }
  expect([ids(first), first.total]).toEqual([[2, 1], 3])
  expect(ids(await list(1, `?limit=2&cursor=${first.nextCursor}`))).toEqual([0])
  expect((await service.call('/admin/lost?status=gone', { tier: 2 })).status).toBe(400)
})

test('reading wants a volunteer and writing a manager', async () => {
  const { id } = await add()
  const writes = [
    ['/admin/lost', { body: { kind: 'lost', about: 'x' } }],
    [`/admin/lost/${id}`, { method: 'PATCH', body: { notes: 'x' } }],
    [`/admin/lost/${id}`, { method: 'DELETE' }],
  ] as const
  for (const [path, how] of writes) {
    expect((await service.call(path, { ...how, tier: 0 })).status).toBe(401)
    expect((await service.call(path, { ...how, tier: 1 })).status).toBe(403)
  }
  expect((await service.call('/admin/lost')).status).toBe(401)
  expect(await service.data(`/admin/lost/${id}`, { method: 'DELETE', tier: 2 })).toEqual({ id })
  expect((await service.call(`/admin/lost/${id}`, { method: 'DELETE', tier: 2 })).status).toBe(404)
  expect((await audit()).at(-1)).toEqual({ type: 'lost.deleted', by: 'manager', detail: { id } })
})

test('a case that named somebody before they were erased goes on without them', async () => {
  const { before, after } = await service.tombstone('U-gone')
  const named = { kind: 'lost', about: 'a girl of six', userId: 'U-gone' }
  const entered = await service.call('/admin/lost', { tier: 2, headers: before, body: named })
  expect([entered.status, entered.body.data]).toMatchObject([201, { userId: null, about: 'a girl of six' }])
  const { id } = await add({ userId: 'U-other' })
  const patch = { userId: 'U-gone', notes: 'near the gate' }
  const changed = (headers: Record<string, string>) =>
    service.call(`/admin/lost/${id}`, { method: 'PATCH', tier: 2, headers, body: patch })
  expect((await changed(before)).body.data).toMatchObject({ userId: null, notes: 'near the gate' })
  expect((await changed(after)).body.data).toMatchObject({ userId: 'U-gone' })
})

test('an erasure takes the cases about a participant, and their name off those that they took', async () => {
  await add({ userId: 'U-gone' })
  const { id } = await add()
  await service.data(`/admin/lost/${id}`, {
    method: 'PATCH',
    tier: 2,
    headers: { [ACTOR_HEADER]: 'U-gone' },
    body: { status: 'taken' },
  })
  const { erased } = await service.data('/user/U-gone', { method: 'DELETE', tier: 3 })
  expect(erased).toMatchObject({ lost: 1 })
  const left = await service.sql`SELECT row_to_json(c) FROM engagement.lost_cases AS c`
  expect(left).toHaveLength(1)
  expect(JSON.stringify([...left, ...(await audit())])).not.toContain('U-gone')
})
