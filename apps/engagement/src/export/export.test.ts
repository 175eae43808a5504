import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { ApiError } from '@palanquin/service/http/api-error'
import { USER_HEADER } from '@palanquin/service/http/headers'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { Check, Errors } from 'typebox/value'
import { startTestService, type TestService } from '../../test/service.ts'
import { ANSWERS } from '../../test/survey.ts'
import { EXPORT } from './example.ts'
import { ExportDocument } from './schema.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const CHECKIN = EXPORT.checkins[0]
let service: TestService
let checkins = (): AsyncIterable<string> => chunks([CHECKIN])
let points: () => AsyncIterable<string> | ApiError
beforeAll(async () => {
  service = await startTestService({
    readPoints: async (_, { kind }) => (kind === 'checkin' ? checkins() : points()),
  })
})
afterAll(() => service.close())

/** A JSON array in chunks that end anywhere. */
async function* chunks(given: unknown[]): AsyncGenerator<string> {
  const text = JSON.stringify(given)
  for (let at = 0; at < text.length; at += 40_000) yield text.slice(at, at + 40_000)
}
const read = (userId: string, as = userId) =>
  service.respond(`/user/${userId}/export`, { headers: { [USER_HEADER]: as } })
const exported = async (userId: string) => {
  const response = await read(userId)
  expect(response.status).toBe(200)
  return ((await response.json()) as { data: Record<string, unknown> }).data
}

test('an export has everything of its participant, and nothing of others', async () => {
  points = () => chunks(Array.from({ length: 5_000 }, () => CHECKIN))
  for (const userId of ['me', 'U-foreign']) {
    await service.data('/user/sync', { body: { userId, displayName: `name of ${userId}` } })
    await service.data('/privacy', { body: { userId, consent: true, version: '3', visibility: 'anonymous' } })
    await service.data('/submit', { body: { userId, answers: { ...ANSWERS, q10: `first of ${userId}` } } })
    await service.data('/submit', { body: { userId, answers: { ...ANSWERS, q10: `second of ${userId}` } } })
    await service.data('/user/phone', {
      body: { userId, phone: userId === 'me' ? '0912345678' : '0987654321' },
    })
    await service.data('/feedback', { body: { userId, category: 'praise', message: `words of ${userId}` } })
    await service.sql`INSERT INTO media.photos (user_id, object_key) VALUES (${userId}, ${`photos/${userId}`})`
    await service.sql`INSERT INTO media.cards (user_id, content_key, object_key, etag) VALUES (${userId}, 'c', 'o', 'e')`
  }
  await service.data('/privacy', { body: { userId: 'me', consent: false } })
  await service.sql`INSERT INTO engagement.shares (token, user_id, expires_at) VALUES ('secret-of-a-link', 'me', now() + interval '1 hour')`
  await service.sql`INSERT INTO engagement.devices (user_id, slot, app, name) VALUES ('me', 0, 'owntracks', 'my phone')`
  await service.sql`INSERT INTO engagement.sessions (token_hash, kind, user_id, expires_at) VALUES ('hash-of-a-session', 'device', 'me', now() + interval '1 hour')`
  const data = await exported('me')
  const text = JSON.stringify(data)
  expect([...Errors(ExportDocument, data)]).toEqual([])
  expect(data).toMatchObject({
    profile: { userId: 'me', displayName: 'name of me', phone: '+886912345678', privacyConsent: false },
    consents: [
      { consent: true, version: '3', visibility: 'anonymous' },
      { consent: false, version: null },
    ],
    feedback: [{ message: 'words of me', status: 'open' }],
    photos: [{ id: expect.any(String) }],
    cards: [{ generatedAt: expect.any(String) }],
    shares: [{ endedAt: null }],
    sessions: [{ kind: 'device' }],
    devices: [{ app: 'owntracks', name: 'my phone' }],
    checkins: [{ note: '平安' }],
  })
  expect(data.points).toHaveLength(5_000)
  const history = data.surveyHistory as { answers: { id: string; answer: { zh: string }[] }[] }[]
  expect(history.map(({ answers }) => answers[9]?.answer[0]?.zh)).toEqual(['first of me', 'second of me'])
  expect(data.survey).toEqual(history[1])
  for (const foreign of [
    'U-foreign',
    '0987654321',
    '987654321',
    'edit_token',
    'object_key',
    'secret-of',
    'hash-of',
  ])
    expect({ foreign, isThere: text.includes(foreign) }).toEqual({ foreign, isThere: false })
})

test('the document is a download that no cache keeps', async () => {
  const { headers } = await read('me')
  expect(headers.get('content-disposition')).toBe('attachment; filename="my-data.json"')
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(headers.get('cache-control')).toBe('no-store')
})

test('an export is for its own participant alone; of an unknown one there is none', async () => {
  for (const as of ['U-foreign', '']) expect((await read('me', as)).status).toBe(403)
  expect((await service.respond('/user/me/export', { tier: 3 })).status).toBe(403)
  expect((await read('unknown')).status).toBe(404)
})

test('when points cannot be read to their end, the document breaks off and is not taken for whole', async () => {
  checkins = () => chunks(Array.from({ length: 500 }, () => CHECKIN))
  points = () => new ApiError('unavailable', 'busy')
  const broken = await read('me')
    .then((response) => response.json())
    .catch(() => 'broken')
  expect(broken).toBe('broken')
})

test('the example of the API document fits its schema', () => {
  expect(Check(ExportDocument, EXPORT)).toBe(true)
})
