import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Reply } from '@palanquin/stack/api'
import { startThrowawayStack, type ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { until } from '@palanquin/testing/until'
import Type from 'typebox'
import Value from 'typebox/value'

/** A participant without consent; each value can be found by a plain search. */
const CANARY = {
  userId: 'Ucanary4f7b9a526e1c8d7b4f30',
  phone: '987654321',
  message: 'canary-message',
  reworded: 'canary-reworded',
  note: 'canary-note',
  comment: 'canary-comment',
  lat: '23.98765',
  lng: '120.54321',
}
const { userId } = CANARY

const Document = Type.Object({
  paths: Type.Record(
    Type.String(),
    Type.Record(Type.String(), Type.Object({ security: Type.Optional(Type.Array(Type.Object({}))) })),
  ),
})
const Sent = Type.Object({ data: Type.Object({ id: Type.String(), editToken: Type.String() }) })
/** Endless streams; they contain what `/data` contains. */
const ENDLESS = '/data/stream'

let stack: ThrowawayStack
/** Every response to a caller without a token, except the one that returns the edit token. */
const publicAnswers: { call: string; text: string }[] = []
let feedback: { id: string; editToken: string }

const seen = async (call: string, reply: Promise<Reply>): Promise<Reply> => {
  const answer = await reply
  publicAnswers.push({ call, text: JSON.stringify([answer.body, [...answer.headers]]) })
  return answer
}
const post = (path: string, body: object) => seen(`POST ${path}`, stack.api.post(path, body))

/** All that a pilgrim submits, some of it invalid. */
async function submitEverything(): Promise<void> {
  const point = { lat: Number(CANARY.lat), lng: Number(CANARY.lng) }
  await post('/user/sync', { userId, displayName: '林媽媽' })
  await post('/user/phone', { userId, phone: `0${CANARY.phone}` })
  await post('/user/phone', { userId, phone: `+99${CANARY.phone}` })
  await post('/privacy', { userId, consent: false })
  await post('/participant-status', { userId, status: 'active' })
  await post('/checkin', { userId, ...point, note: CANARY.note })
  await post('/track/sync', { userId, points: [{ ...point, recordedAt: Date.now() - 90_000 }, { ...point }] })
  const answers = { q1: ['a'], q2: 'b', q3: { bus: 1 }, q4: [], q5: 0, q6: 'c', q7: 0, q8: 0, q9: 0 }
  await post('/submit', { userId, answers: { ...answers, q10: CANARY.comment }, phone: `0${CANARY.phone}` })
  const given = { userId, category: 'bug', message: CANARY.message }
  feedback = Value.Parse(Sent, (await stack.api.post('/feedback', given)).body).data
  await post('/feedback', { ...given, category: CANARY.message })
  await post('/feedback', { ...given, screenshot: 'canary-picture' })
}

/** Calls of the author and the staff: the responses are theirs, but the logs of them must hold nothing. */
async function workWithIt(): Promise<void> {
  const { api } = stack
  const author = { headers: { 'x-feedback-token': feedback.editToken } }
  const path = `/feedback/${feedback.id}`
  await seen('PATCH', api.patch(path, { message: CANARY.reworded }, author))
  await seen('PATCH', api.patch(path, { message: CANARY.message.repeat(200) }, author))
  await api.patch(path, { status: 'in_progress', reply: '謝謝' }, api.as('manager'))
  await seen('PATCH', api.patch(path, { message: CANARY.reworded }, author))
  await api.get('/feedback', api.as('manager'))
  await api.post('/admin/roles', { userId, role: 'volunteer' }, api.as('owner'))
  await api.get('/admin/roles', api.as('owner'))
  await api.get('/admin/users?q=Ucanary', api.as('owner'))
  await api.get(`/admin/users/${userId}/track`, api.as('owner'))
  for (const q of [userId, `0${CANARY.phone}`, CANARY.phone])
    await api.get(`/admin/find?q=${q}&reason=${CANARY.message}`, api.as('volunteer'))
  await api.flush()
}

/** Every GET of the document without a token. */
async function readEverything(): Promise<void> {
  const { url, caFile } = stack.running()
  const answer = await fetch(`${url}/openapi.json`, { tls: { ca: readFileSync(caFile, 'utf8') } })
  const { paths } = Value.Parse(Document, await answer.json())
  const names: Record<string, string> = { userId, filename: 'canary-picture' }
  for (const [path, methods] of Object.entries(paths)) {
    const open = methods.get && !methods.get.security?.some((scheme) => Object.keys(scheme).length > 0)
    const optional = methods.get?.security?.some((scheme) => Object.keys(scheme).length === 0)
    if (!path.startsWith('/api/event/') || path.endsWith(ENDLESS) || !(open || optional)) continue
    const filled = path
      .slice('/api/event'.length)
      .replace(/\{(\w+)\}/g, (_, name: string) => names[name] ?? '')
    await seen(`GET ${path}`, stack.api.get(filled))
  }
  for (const more of [
    `/photos/count?userId=${userId}`,
    `/feedback/status?id=${feedback.id}`,
    '/feedback?status=in_progress',
  ])
    await seen(`GET ${more}`, stack.api.get(more))
  for (const format of ['geojson', 'columns']) await seen(format, stack.api.get(`/data?format=${format}`))
}

beforeAll(async () => {
  stack = await startThrowawayStack({ LOG_LEVEL: 'debug' })
  await submitEverything()
  await workWithIt()
  await readEverything()
})
afterAll(() => stack.close())

test('no public response holds the number, message, edit token, note, comment or position of a participant', () => {
  const { userId: _, ...secrets } = CANARY
  const values = [...Object.values(secrets), feedback.editToken]
  // The values did arrive: the same search finds them where they may be.
  expect(publicAnswers.find(({ call }) => call === 'GET /api/event/feedback')?.text).toContain(feedback.id)
  expect(publicAnswers.find(({ call }) => call === 'GET /api/event/user/{userId}')?.text).toContain(
    '•••••321',
  )
  for (const { call, text } of publicAnswers)
    expect([call, values.filter((value) => text.includes(value))]).toEqual([call, []])
})

test('no public response holds a userId that its caller did not name', () => {
  const unnamed = publicAnswers.filter(({ call }) => call.startsWith('GET') && !/userId/.test(call))
  expect(unnamed.map(({ call }) => call)).toContain('GET /api/event/feedback')
  for (const { call, text } of unnamed) expect([call, text.includes(userId)]).toEqual([call, false])
})

test('no log of any service or store holds any of it, or a token, down to debug', async () => {
  const { tokens, internalToken } = stack.running()
  const lines = () =>
    readdirSync(stack.home.logs).flatMap((file) =>
      readFileSync(join(stack.home.logs, file), 'utf8').split('\n').filter(Boolean),
    )
  await stack.api.get(`/user/${userId}`, { headers: { 'x-request-id': 'the-last-one' } })
  await until(() => lines().filter((line) => line.includes('the-last-one')).length >= 2, {
    what: 'gateway and engagement have written their last lines',
  })
  expect(lines().length).toBeGreaterThan(50)
  const values = [...Object.values(CANARY), feedback.editToken, ...Object.values(tokens), internalToken]
  for (const value of values) expect(lines().filter((line) => line.includes(value))).toEqual([])
})
