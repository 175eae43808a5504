import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { FEEDBACK_STATUSES, type FeedbackStatus } from '@palanquin/domain/feedback'
import { emptyTables } from '@palanquin/testing/empty-tables'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { type Call, startTestService, type TestService } from '../../test/service.ts'

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

const send = async (given: object = {}) => {
  const sent = await service.data('/feedback', { body: { category: 'bug', message: '地圖不會動', ...given } })
  return { id: String(sent.id), editToken: String(sent.editToken), sent }
}
const patch = (id: string, body: unknown, how: Call = { tier: 2 }) =>
  service.call(`/feedback/${id}`, { method: 'PATCH', body, ...how })
const byToken = (editToken: string): Call => ({ headers: { 'x-feedback-token': editToken } })
const rowOf = async (id: string) => (await service.sql`SELECT * FROM engagement.feedback WHERE id = ${id}`)[0]

const PUBLIC_KEYS = ['id', 'category', 'status', 'createdAt', 'updatedAt', 'reply']

/** Contract section 4, written out: from → to. */
const MAY: Record<FeedbackStatus, readonly FeedbackStatus[]> = {
  open: ['in_progress'],
  in_progress: ['open', 'resolved', 'rejected'],
  resolved: ['open'],
  rejected: ['open'],
}
test('the transitions of feedback are those of the contract; a repeated status is refused', async () => {
  const { id } = await send()
  for (const from of FEEDBACK_STATUSES)
    for (const to of FEEDBACK_STATUSES) {
      await service.sql`UPDATE engagement.feedback SET status = ${from}`
      const { status, body } = await patch(id, { status: to, reply: `${from} → ${to}` })
      const may = MAY[from].includes(to)
      expect([from, to, status]).toEqual([from, to, may ? 200 : 409])
      if (may)
        expect(body.data).toMatchObject({ id, status: to, reply: `${from} → ${to}`, message: '地圖不會動' })
      else expect(body.error).toContain('eedback')
      expect(await rowOf(id)).toMatchObject({ status: may ? to : from })
    }
})

test('of twenty concurrent changes of status, one takes effect', async () => {
  const { id } = await send()
  const answers = await Promise.all(Array.from({ length: 20 }, () => patch(id, { status: 'in_progress' })))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(19)
  expect(await service.sql`SELECT type FROM engagement.audit`).toHaveLength(1)
})

test('an answer needs a status, a reply or both, and changes only those', async () => {
  const { id } = await send()
  const answered = async (body: object) => (await patch(id, body)).body.data
  expect(await answered({ reply: ' 謝謝 ' })).toMatchObject({ status: 'open', reply: '謝謝' })
  expect(await answered({ status: 'in_progress' })).toMatchObject({ status: 'in_progress', reply: '謝謝' })
  expect(await answered({ reply: '' })).toMatchObject({ status: 'in_progress', reply: null })
  expect((await patch(id, { reply: 'x'.repeat(1000) })).status).toBe(200)
  for (const [body, error] of [
    [{}, /^status, reply: /],
    [{ status: null, reply: null }, /^status, reply: /],
    [{ message: 'of an administrator' }, /^status, reply: /],
    [{ status: 'done' }, /^status: expected open, in_progress, resolved or rejected/],
    [{ reply: 'x'.repeat(1001) }, /^reply: expected a text of at most 1000 characters/],
    [{ reply: 7 }, /^reply: /],
  ] as const) {
    const { status, body: said } = await patch(id, body)
    expect(status).toBe(400)
    expect(said.error).toMatch(error)
  }
  expect((await rowOf(id))?.message).toBe('地圖不會動')
})

test('an answer is audited with its role and without its text', async () => {
  const { id } = await send({ userId: 'U-lin' })
  await patch(id, { status: 'in_progress', reply: '秘密' }, { tier: 3 })
  await patch(id, { reply: '' }, { tier: 2 })
  await patch(id, { status: 'rejected' }, { tier: 2 })
  await patch(id, { status: 'rejected' }, { tier: 2 })
  expect([...(await service.sql`SELECT type, by, detail FROM engagement.audit ORDER BY id`)]).toEqual([
    { type: 'feedback.answered', by: 'owner', detail: { id, status: 'in_progress', replied: true } },
    { type: 'feedback.answered', by: 'manager', detail: { id, replied: false } },
    { type: 'feedback.answered', by: 'manager', detail: { id, status: 'rejected' } },
  ])
})

test('the author rewords open feedback by the edit token, and sees the public view', async () => {
  const { id, editToken } = await send({ userId: 'U-lin' })
  const before = await service.data(`/feedback/status?id=${id}`)
  const { status, body } = await patch(id, { message: ' 過橋以後不會動 ' }, byToken(editToken))
  expect(status).toBe(200)
  expect(Object.keys(body.data as object)).toEqual(PUBLIC_KEYS)
  expect((await rowOf(id))?.message).toBe('過橋以後不會動')
  const after = await service.data(`/feedback/status?id=${id}`)
  expect(Date.parse(String(after.updatedAt))).toBeGreaterThan(Date.parse(String(before.updatedAt)))
  // Nothing else is the author's to change.
  expect((await patch(id, { status: 'resolved' }, byToken(editToken))).status).toBe(400)
  expect((await patch(id, { message: 'again', status: 'resolved' }, byToken(editToken))).status).toBe(200)
  expect(await rowOf(id)).toMatchObject({ status: 'open', message: 'again' })
  expect(await service.sql`SELECT FROM engagement.audit`).toHaveLength(0)

  for (const taken of ['in_progress', 'resolved', 'rejected'] as const) {
    await service.sql`UPDATE engagement.feedback SET status = ${taken}`
    expect((await patch(id, { message: 'late' }, byToken(editToken))).status).toBe(409)
  }
  expect((await rowOf(id))?.message).toBe('again')
})

test('a wrong edit token is 401 in any state, an unknown id 404, no token 401, a volunteer 403', async () => {
  const { id, editToken } = await send()
  const other = await send()
  await service.sql`UPDATE engagement.feedback SET status = 'resolved' WHERE id = ${id}`
  for (const body of [{ message: 'mine now' }, {}, { message: '' }])
    for (const wrong of [other.editToken, editToken.slice(0, -1), `${editToken}a`, 'x'])
      expect((await patch(id, body, byToken(wrong))).status).toBe(401)
  for (const unknown of [UNKNOWN, 'x', `${id}0`]) {
    expect((await patch(unknown, { message: 'm' }, byToken(editToken))).status).toBe(404)
    expect((await patch(unknown, { reply: 'm' })).status).toBe(404)
  }
  expect((await patch(id, { message: 'm' }, {})).status).toBe(401)
  expect((await patch(id, { reply: 'm' }, { tier: 1 })).status).toBe(403)
  expect((await patch(id, { message: 'm' }, { tier: 1, ...byToken(editToken) })).status).toBe(403)
})
