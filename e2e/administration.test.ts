import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { ROLE_LEVEL, type Role } from '@palanquin/domain/role'
import type { Reply } from '@palanquin/stack/api'
import { startThrowawayStack, type ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { until } from '@palanquin/testing/until'
import Type, { type Static } from 'typebox'
import Value from 'typebox/value'

/** Contract sections 3 to 5: every route that reads an admin token, and its minimum tier. */
const TIERS: Record<string, number> = {
  'GET /data': 0,
  'GET /data/stream': 0,
  'POST /og-image': 0,
  'GET /feedback': 0,
  'GET /auth/role': 1,
  'GET /admin/status': 1,
  'GET /admin/timeline': 1,
  'GET /admin/clusters': 1,
  'GET /admin/find': 1,
  'GET /line-usage': 1,
  'PATCH /feedback/{id}': 2,
  'GET /admin/surveys': 2,
  'GET /admin/carbon': 2,
  'GET /admin/audit': 2,
  'GET /admin/users': 2,
  'GET /admin/users/{userId}': 2,
  'POST /devices': 2,
  'GET /devices': 2,
  'POST /devices/{id}/rotate': 2,
  'DELETE /devices/{id}': 2,
  'POST /setup-links': 2,
  'GET /admin/users/{userId}/track': 2,
  'GET /admin/roles': 2,
  'POST /admin/roles': 2,
  'PUT /admin/status': 2,
  'POST /push': 2,
  'GET /push': 2,
  'DELETE /push/{pushId}': 2,
  'GET /push/{pushId}': 2,
  'POST /admin/richmenu': 3,
  'DELETE /user/{userId}': 3,
  'POST /admin/end-activity': 2,
  // Web face, section 4: read from tier 1, written from tier 2.
  ...Object.fromEntries(
    ['beacons', 'places', 'notices', 'lost'].flatMap((what) => [
      [`GET /admin/${what}`, 1],
      [`POST /admin/${what}`, 2],
      [`PATCH /admin/${what}/{id}`, 2],
      [`DELETE /admin/${what}/{id}`, 2],
    ]),
  ),
  'GET /admin/route': 1,
  'POST /admin/route': 2,
  'PATCH /admin/route': 2,
  'DELETE /admin/route': 2,
  'GET /admin/settings': 3,
  'PATCH /admin/settings': 3,
  'POST /upload/route': 2,
}
/** Little is left to request after these. */
const LAST = ['DELETE /user/{userId}', 'POST /admin/end-activity']

const CALLERS = ['anonymous', 'wrong', 'volunteer', 'manager', 'owner'] as const
type Caller = (typeof CALLERS)[number]

const Operation = Type.Object({
  'x-tier': Type.Optional(Type.Integer()),
  requestBody: Type.Optional(
    Type.Object({
      content: Type.Record(Type.String(), Type.Object({ example: Type.Optional(Type.Unknown()) })),
    }),
  ),
})
const Document = Type.Object({ paths: Type.Record(Type.String(), Type.Record(Type.String(), Operation)) })
type Row = { name: string; method: string; path: string; operation: Static<typeof Operation> }

const Sent = Type.Object({
  ok: Type.Literal(true),
  data: Type.Object({ id: Type.String(), editToken: Type.String() }),
})

let stack: ThrowawayStack
let rows: Row[]
beforeAll(async () => {
  // Five callers on every route: more calls of one token than a minute allows.
  stack = await startThrowawayStack({ RATE_LIMITS: 'off' })
  const { url, caFile } = stack.running()
  const answer = await fetch(`${url}/openapi.json`, { tls: { ca: readFileSync(caFile, 'utf8') } })
  rows = Object.entries(Value.Parse(Document, await answer.json()).paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([verb, operation]) => {
        const method = verb.toUpperCase()
        return { name: `${method} ${path.replace('/api/event', '')}`, method, path, operation }
      }),
    )
    .filter(({ operation }) => operation['x-tier'] !== undefined)
    .sort((a, b) => LAST.indexOf(a.name) - LAST.indexOf(b.name))
})
afterAll(() => stack.close())

const send = async (given: object): Promise<{ id: string; editToken: string }> =>
  Value.Parse(Sent, (await stack.api.post('/feedback', given)).body).data
const assign = (by: Role, userId: string, role: Role | null) =>
  stack.api.post('/admin/roles', { userId, role }, stack.api.as(by))
const statusOf = async (reply: Promise<Reply>) => (await reply).status

test('a manager adds and removes volunteers, but no manager or owner; an owner can', async () => {
  expect(await statusOf(assign('manager', 'U-staff', 'owner'))).toBe(403)
  expect(await statusOf(assign('manager', 'U-staff', 'manager'))).toBe(403)
  expect(await statusOf(assign('manager', 'U-staff', 'volunteer'))).toBe(200)
  expect(await statusOf(assign('volunteer', 'U-staff', 'volunteer'))).toBe(403)
  expect((await assign('owner', 'U-staff', 'owner')).body).toMatchObject({
    data: { userId: 'U-staff', role: 'owner' },
  })
  for (const role of ['volunteer', 'manager', 'owner', null] as const)
    expect(await statusOf(assign('manager', 'U-staff', role))).toBe(403)
  expect((await stack.api.get('/admin/roles', stack.api.as('manager'))).body).toMatchObject({
    data: { items: [{ userId: 'U-staff', role: 'owner', givenBy: 'owner' }], nextCursor: null, total: 1 },
  })
  expect(await statusOf(assign('owner', 'U-staff', null))).toBe(200)
})

test('feedback goes from its author to the staff and back, each with their own token', async () => {
  const { id, editToken } = await send({ userId: 'U-lin', category: 'bug', message: '地圖不會動' })
  const patch = (body: object, headers: Record<string, string>) =>
    stack.api.patch(`/feedback/${id}`, body, { headers })
  const author = { 'x-feedback-token': editToken }
  const { headers: manager } = stack.api.as('manager')
  expect((await patch({ message: '過橋以後不會動' }, author)).status).toBe(200)
  expect((await patch({ message: 'x' }, { 'x-feedback-token': `${editToken}x` })).status).toBe(401)
  expect((await patch({ message: 'x' }, {})).status).toBe(401)
  expect((await patch({ message: 'x' }, { ...author, 'x-admin-token': 'wrong' })).status).toBe(401)
  expect((await patch({ reply: 'x' }, stack.api.as('volunteer').headers)).status).toBe(403)
  expect((await patch({ status: 'resolved' }, manager)).status).toBe(409)
  expect((await patch({ status: 'in_progress', reply: '我們正在查。' }, manager)).status).toBe(200)
  expect((await patch({ message: 'too late' }, author)).status).toBe(409)
  expect((await stack.api.get(`/feedback/status?id=${id}`)).body).toMatchObject({
    data: { id, status: 'in_progress', reply: '我們正在查。' },
  })
  expect((await stack.api.get('/feedback', { headers: manager })).body).toMatchObject({
    data: { items: [{ id, userId: 'U-lin', message: '過橋以後不會動', screenshot: null }], total: 1 },
  })
})

test('a volunteer finds somebody by name before the first flush, and in which town they are', async () => {
  const userId = 'U-lost'
  await stack.api.post('/user/sync', { userId, displayName: '走失的奶奶' })
  await stack.api.post('/user/phone', { userId, phone: '0912-345-678' })
  const point = { lat: 24.5663, lng: 120.7081, battery: 62 }
  expect(await statusOf(stack.api.post('/checkin', { userId, ...point }))).toBe(202)
  const find = (role: Role, query: Record<string, string>) =>
    stack.api.get(`/admin/find?${new URLSearchParams(query)}`, stack.api.as(role))
  const reason = '家屬在服務台'
  expect(await statusOf(find('volunteer', { q: '奶奶' }))).toBe(400)
  const shown = {
    userId,
    displayName: '走失的奶奶',
    phoneMasked: '+886•••••678',
    battery: 62,
    lastPosition: {
      lat: 24.5663,
      lng: 120.7081,
      recordedAt: expect.any(String),
      place: {
        county: { zh: '苗栗縣', en: expect.any(String) },
        town: { zh: '通霄鎮', en: expect.any(String) },
      },
    },
  }
  const isLocated = async () =>
    JSON.stringify((await find('volunteer', { q: '奶奶', reason })).body).includes('通霄鎮')
  await until(isLocated, { what: 'the position on the map' })
  for (const q of ['奶奶', '0912345678', '5678', userId])
    expect((await find('volunteer', { q, reason })).body).toEqual({
      ok: true,
      data: { items: [shown], more: false },
    })
  const near = await stack.api.get('/admin/users?near=24.5663,120.7081,1', stack.api.as('manager'))
  const { lat, lng } = point
  expect(near.body).toMatchObject({
    data: { items: [{ userId, lastPosition: { lat, lng }, battery: 62 }], total: 1 },
  })
  expect((await find('manager', { q: '奶奶', reason })).body).toMatchObject({
    data: { items: [{ ...shown, phone: '+886912345678' }] },
  })
})

/** A request with everything except the token: existing parameters, and the document's own example. */
async function requestOf({ method, path, operation }: Row): Promise<[string, RequestInit]> {
  const names: Record<string, string> = { userId: 'U-lin', pushId: '0d8f2a9e-3c41-4f7b-9a52-6e1c8d7b4f30' }
  if (path.includes('{id}')) names.id = (await send({ category: 'praise', message: '讚' })).id
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => names[name] ?? '')
  if (!operation.requestBody) return [filled, { method }]
  const example = operation.requestBody.content['application/json']?.example ?? { userId: 'U-lin' }
  return [filled, { method, body: JSON.stringify(example), headers: { 'content-type': 'application/json' } }]
}

async function statusFor(row: Row, caller: Caller): Promise<number> {
  const { url, caFile, tokens } = stack.running()
  const [path, request] = await requestOf(row)
  const headers = new Headers(request.headers)
  if (caller === 'wrong') headers.set('x-admin-token', `${tokens.owner}x`)
  else if (caller !== 'anonymous') headers.set('x-admin-token', tokens[caller])
  const answer = await fetch(url + path, { ...request, headers, tls: { ca: readFileSync(caFile, 'utf8') } })
  await answer.body?.cancel() // one of them is an endless stream
  return answer.status
}

/** By the contract. `served`: any response that does not reject the token. */
function expected(tier: number, caller: Caller): number | 'served' {
  if (caller === 'wrong') return 401
  if (caller === 'anonymous') return tier === 0 ? 'served' : 401
  return ROLE_LEVEL[caller] >= tier ? 'served' : 403
}

test('every route with an admin token serves the tiers of the contract, and no others', async () => {
  expect(Object.fromEntries(rows.map(({ name, operation }) => [name, operation['x-tier']]))).toEqual(TIERS)
  const wanted: string[] = []
  const found: string[] = []
  for (const row of rows)
    for (const caller of CALLERS) {
      const status = await statusFor(row, caller)
      const served = ![401, 403, 429, 500].includes(status)
      wanted.push(`${row.name} by ${caller}: ${expected(TIERS[row.name] ?? 3, caller)}`)
      found.push(`${row.name} by ${caller}: ${served ? 'served' : status}`)
    }
  expect(found).toEqual(wanted)
})

test('admin actions are on record, with their roles and without personal texts', async () => {
  const audited = await stack.sql`SELECT DISTINCT type, by FROM engagement.audit`
  const lines = audited.map(({ type, by }) => `${type} by ${by}`)
  expect(lines).toEqual(
    expect.arrayContaining([
      'role.given by manager',
      'role.taken by owner',
      'feedback.answered by manager',
      'activity.changed by manager',
      'activity.ended by manager',
      'participant.searched by volunteer',
    ]),
  )
  const [{ text } = { text: '' }] =
    await stack.sql`SELECT string_agg(detail::text, '') AS text FROM engagement.audit`
  expect(text).not.toContain('我們正在查')
})
