import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { createHash, randomBytes } from 'node:crypto'
import { emptyTables } from '@palanquin/testing/empty-tables'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { startTestService, type TestService } from '../../test/service.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const UNKNOWN = '00000000-0000-4000-8000-000000000000'
const REPORT = { kind: 'lost', about: '奶奶，紅色外套', phone: '0912-345-678' }
const LAST_SEEN = { lat: 24.57, lng: 120.71, accuracyM: 8, recordedAt: '2026-05-09T11:59:18.000Z' }

let service: TestService
let mapAsked: string[] = []
beforeAll(async () => {
  service = await startTestService({
    readPosition: async (userId) => {
      mapAsked.push(userId)
      return { ...LAST_SEEN, battery: 61, place: null }
    },
    countRecipients: async (place) => ({
      volunteers: place === null ? 0 : 3,
      owners: place === null ? 2 : 0,
    }),
  })
})
beforeEach(async () => {
  mapAsked = []
  await emptyTables(
    service.sql,
    'engagement.lost_cases',
    'engagement.audit',
    'engagement.outbox',
    'media.screenshots',
  )
})
afterAll(() => service.close())

const post = (given: object = {}) => service.call('/lost', { body: { ...REPORT, ...given } })
const report = async (given: object = {}): Promise<{ id: string; editToken: string }> => {
  const { status, body } = await post(given)
  expect(status).toBe(201)
  return body.data as { id: string; editToken: string }
}
const bearing = (editToken: string) => ({ headers: { 'x-feedback-token': editToken } })
const events = async () => (await service.outbox()).map(({ type, data }) => ({ type, ...data }))
const rows = () => service.sql`SELECT * FROM engagement.lost_cases ORDER BY seq`

test('a report is stored with its number in E.164, and of its edit token the SHA-256 alone', async () => {
  const { id, editToken } = await report({ place: { lat: 24.5, lng: 120.7 } })
  expect(editToken).toMatch(/^[A-Za-z0-9_-]{49}$/)
  const [row] = await rows()
  expect(row).toMatchObject({ id, kind: 'lost', phone: '+886912345678', lat: 24.5, status: 'open' })
  expect(row?.edit_token_hash).toEqual(createHash('sha256').update(editToken).digest())
  expect(await events()).toEqual([{ type: 'lost.reported', caseId: id }])
})

test('sent again with its edit token it is stored once, with the words of the first, and notifies once', async () => {
  const editToken = randomBytes(32).toString('base64url')
  const all = await Promise.all(Array.from({ length: 5 }, () => report({ editToken })))
  expect(new Set(all.map(({ id }) => id)).size).toBe(1)
  expect((await report({ editToken, about: 'other words' })).id).toBe(String(all[0]?.id))
  expect(await rows()).toMatchObject([{ about: REPORT.about }])
  expect(await events()).toHaveLength(1)
})

test('its answer says how many hear of it, sent again too', async () => {
  const editToken = randomBytes(32).toString('base64url')
  for (let times = 0; times < 2; times++)
    expect((await post({ editToken, place: { lat: 24.5, lng: 120.7 } })).body.data).toMatchObject({
      notified: { volunteers: 3, owners: 0 },
    })
  expect((await post()).body.data).toMatchObject({ notified: { volunteers: 0, owners: 2 } })
})

test.each([
  ['kind', { kind: 'stolen' }],
  ['about', { about: '' }],
  ['about', { about: 'x'.repeat(1001) }],
  ['phone', { phone: '12' }],
  ['phone', { phone: null }],
  ['phone', { phone: 'x'.repeat(41) }],
  ['place', { place: { lat: 91, lng: 0 } }],
  ['photo', { photo: '../etc/passwd' }],
  ['photo', { photo: 'never-uploaded' }],
  ['editToken', { editToken: 'a'.repeat(42) }],
])('a report with an invalid %s is 400 and names it', async (field, given) => {
  const { status, body } = await post(given)
  expect([status, String(body.error).split(/[:.]/)[0]]).toEqual([400, field])
  expect(await rows()).toHaveLength(0)
})

test('an uploaded photo is named with or without its ending', async () => {
  await service.sql`INSERT INTO media.screenshots (filename, object_key, width, height, bytes) VALUES ('pic', 'k', 1, 1, 1)`
  await report({ photo: 'pic.png' })
  await report({ photo: 'pic' })
  expect((await rows()).map(({ photo }) => photo)).toEqual(['pic', 'pic'])
})

test('its reporter sees the status by the token, and nothing is seen without', async () => {
  const { id, editToken } = await report()
  const own = await service.data(`/lost/${id}`, bearing(editToken))
  expect(Object.keys(own).sort()).toEqual(['createdAt', 'id', 'kind', 'reply', 'status', 'updatedAt'])
  expect(own).toMatchObject({ id, kind: 'lost', status: 'open', reply: null })
  const other = await report()
  for (const token of [other.editToken, 'x', editToken.toUpperCase()])
    expect((await service.call(`/lost/${id}`, bearing(token))).status).toBe(401)
  expect((await service.call(`/lost/${id}`)).status).toBe(401)
  for (const unknown of [UNKNOWN, 'no-uuid'])
    expect((await service.call(`/lost/${unknown}`, bearing(editToken))).status).toBe(404)
  // One that organisers entered has no token, and so no reporter.
  const { body } = await service.call('/admin/lost', { tier: 2, body: { kind: 'found', about: 'a boy' } })
  const { id: entered } = body.data as { id: string }
  expect((await service.call(`/lost/${entered}`, bearing(editToken))).status).toBe(404)
})

test('its reporter alone closes it, again without effect', async () => {
  const { id, editToken } = await report()
  const close = (token: string) =>
    service.call(`/lost/${id}`, { method: 'PATCH', body: { status: 'closed' }, ...bearing(token) })
  expect((await close('x'.repeat(43))).status).toBe(401)
  const first = await close(editToken)
  expect([first.status, first.body.data]).toEqual([200, expect.objectContaining({ status: 'closed' })])
  expect((await close(editToken)).body.data).toEqual(first.body.data as object)
  expect(await service.sql`SELECT type, by, detail FROM engagement.audit`).toMatchObject([
    { type: 'lost.closed', by: 'reporter', detail: { id } },
  ])
  const reopen = { method: 'PATCH', body: { status: 'open' }, ...bearing(editToken) }
  expect((await service.call(`/lost/${id}`, reopen)).status).toBe(400)
})

test('for the chat bot: place and last position of the participant, without the number; nothing once it is closed', async () => {
  const place = { lat: 24.5, lng: 120.7 }
  const { id, editToken } = await report({ place })
  expect(await service.data(`/internal/lost/${id}`)).toEqual({
    kind: 'lost',
    about: REPORT.about,
    places: [place],
  })
  expect(mapAsked).toEqual([])
  await service.data(`/admin/lost/${id}`, { method: 'PATCH', tier: 2, body: { userId: 'U-grandmother' } })
  const { places } = await service.data(`/internal/lost/${id}`)
  expect(places).toEqual([place, { lat: LAST_SEEN.lat, lng: LAST_SEEN.lng }])
  expect(mapAsked).toEqual(['U-grandmother'])
  await service.data(`/lost/${id}`, { method: 'PATCH', body: { status: 'closed' }, ...bearing(editToken) })
  for (const gone of [id, UNKNOWN, 'no-uuid'])
    expect((await service.call(`/internal/lost/${gone}`)).status).toBe(404)
})

test('a closed case is deleted after a week, and an untouched one after a month', async () => {
  const cases = [await report(), await report(), await report(), await report()]
  const [closed, fresh, untouched] = cases.map(({ id }) => id)
  await service.sql`UPDATE engagement.lost_cases SET status = 'closed', closed_at = now() - interval '8 days' WHERE id = ${closed ?? ''}`
  await service.sql`UPDATE engagement.lost_cases SET status = 'closed', closed_at = now() - interval '6 days' WHERE id = ${fresh ?? ''}`
  await service.sql`UPDATE engagement.lost_cases SET updated_at = now() - interval '31 days' WHERE id = ${untouched ?? ''}`
  await service.lost.forget()
  expect((await rows()).map(({ id }) => id)).toEqual([fresh, cases[3]?.id])
})
