import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { PARTICIPANT_STATUSES } from '@palanquin/domain/participant'
import { createLog } from '@palanquin/service/log'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { startTestService, type TestService } from '../../test/service.ts'
import { ANSWERS } from '../../test/survey.ts'
import { refreshViewsAt } from './refresh-views.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

const eventsOf = (userId: string) =>
  service.sql`SELECT data FROM engagement.outbox WHERE type = 'participant.changed' AND data->>'userId' = ${userId} ORDER BY seq`
const rowOf = async (userId: string) =>
  (await service.sql`SELECT * FROM engagement.participants WHERE user_id = ${userId}`)[0]

test('every write that names an unknown userId creates the participant with that id alone', async () => {
  const writes: [string, object, object][] = [
    ['/user/sync', {}, {}],
    ['/user/phone', { phone: null }, {}],
    ['/privacy', { consent: false }, {}],
    ['/participant-status', { status: 'active' }, {}],
    ['/participant-status', { status: 'withdrawn' }, { status: 'withdrawn' }],
  ]
  for (const [index, [path, fields, stored]] of writes.entries()) {
    const userId = `unknown-${index}`
    await service.data(path, { body: { userId, ...fields } })
    const row = {
      display_name: null,
      phone: null,
      consent: false,
      status: 'active',
      language: 'zh-TW',
      ...stored,
    }
    expect(await rowOf(userId)).toMatchObject(row)
    expect(await eventsOf(userId)).toHaveLength(1)
  }
})

test('a sync updates the fields given and leaves the others', async () => {
  const userId = 'fields'
  await service.data('/user/sync', {
    body: { userId, displayName: 'A', pictureUrl: 'https://a.example/a.png' },
  })
  await service.data('/user/sync', { body: { user_id: userId, language: 'en' } })
  const profile = await service.data('/user/sync', { body: { line_user_id: userId, display_name: 'B' } })
  expect(profile).toMatchObject({ displayName: 'B', pictureUrl: 'https://a.example/a.png', language: 'en' })
  const events = await eventsOf(userId)
  expect(events.map(({ data }) => [data.displayName, data.language])).toEqual([
    ['A', 'zh-TW'],
    ['A', 'en'],
    ['B', 'en'],
  ])
})

test('a write that changes nothing emits no event', async () => {
  const userId = 'same'
  const writes: [string, object][] = [
    ['/user/sync', { displayName: 'A', language: 'en' }],
    ['/user/phone', { phone: '0912345678' }],
    ['/privacy', { consent: true, version: '1' }],
    ['/participant-status', { status: 'completed' }],
  ]
  for (const [path, fields] of writes) await service.data(path, { body: { userId, ...fields } })
  const before = { events: await eventsOf(userId), row: await rowOf(userId), published: service.published() }
  for (const [path, fields] of writes) await service.data(path, { body: { userId, ...fields } })
  expect({
    events: await eventsOf(userId),
    row: await rowOf(userId),
    published: service.published(),
  }).toEqual(before)
  expect(before.events).toHaveLength(4)
})

test('an invalid body is 400, names the field and writes nothing', async () => {
  const wrong: [string, object, string][] = [
    ['/user/sync', { userId: '' }, 'userId'],
    ['/user/sync', { userId: 'a b' }, 'userId'],
    ['/user/sync', { displayName: '' }, 'displayName'],
    ['/user/sync', { displayName: 'x'.repeat(101) }, 'displayName'],
    ['/user/sync', { displayName: '\u202e\u2066' }, 'displayName'],
    ['/user/sync', { displayName: 'a\u0000b' }, 'displayName'],
    ['/user/sync', { pictureUrl: 'http://a.example/a.png' }, 'pictureUrl'],
    ['/user/sync', { pictureUrl: `https://a.example/${'a'.repeat(500)}` }, 'pictureUrl'],
    ['/user/sync', { language: 'fr' }, 'language'],
    ['/user/phone', {}, 'phone'],
    ['/user/phone', { phone: '12345' }, 'phone'],
    ['/user/phone', { phone: 912345678 }, 'phone'],
    ['/privacy', {}, 'consent'],
    ['/privacy', { consent: 'yes' }, 'consent'],
    ['/privacy', { consent: true, version: 'x'.repeat(33) }, 'version'],
    ['/privacy', { consent: true, visibility: 'public' }, 'visibility'],
    ['/participant-status', { status: 'gone' }, 'status'],
  ]
  for (const [path, fields, field] of wrong) {
    const { status, body } = await service.call(path, { body: { userId: 'wrong', ...fields } })
    expect([path, fields, status]).toEqual([path, fields, 400])
    expect(body.error).toStartWith(`${field}: expected`)
  }
  expect(await rowOf('wrong')).toBeUndefined()
})

test('a display name of a hundred graphemes is accepted', async () => {
  const displayName = '👩‍👩‍👧‍👦'.repeat(100)
  expect(await service.data('/user/sync', { body: { userId: 'long', displayName } })).toMatchObject({
    displayName,
  })
})

test('a phone number is stored in E.164 and masked in every response', async () => {
  const userId = 'phone'
  expect(await service.data('/user/phone', { body: { userId, phone: '0912-345-678' } })).toEqual({
    userId,
    phone: '+886•••••678',
  })
  expect((await rowOf(userId))?.phone).toBe('+886912345678')
  const profile = await service.data('/user/phone'.replace('phone', userId))
  expect(profile).toMatchObject({
    hasPhone: true,
    phone: '+886•••••678',
    achievement: { missing: ['checkins', 'survey'] },
  })
  expect(JSON.stringify(await eventsOf(userId))).not.toContain('912345')
  for (const key of await service.redis.keys('*'))
    expect(String(await service.redis.dump(key))).not.toContain('912345')

  expect(await service.data('/user/phone', { body: { userId, phone: null } })).toEqual({
    userId,
    phone: null,
  })
  expect(await service.data(`/user/${userId}`)).toMatchObject({ hasPhone: false, phone: null })
})

test('each change of consent is recorded with its time, and a repeated one keeps the first time', async () => {
  const userId = 'consent'
  const first = await service.data('/privacy', { body: { userId, consent: true, version: ' 1 ' } })
  expect(first).toEqual({ userId, consent: true, version: '1', recordedAt: expect.any(String) })
  expect(await service.data('/privacy', { body: { userId, consent: true, version: '1' } })).toEqual(first)
  const second = await service.data('/privacy', { body: { userId, consent: true, version: '2' } })
  const third = await service.data('/privacy', { body: { userId, consent: false } })
  expect(third).toMatchObject({ consent: false, version: null })
  const history =
    await service.sql`SELECT * FROM engagement.consent_history WHERE user_id = ${userId} ORDER BY id`
  expect(
    history.map(({ consent, version, recorded_at }) => [consent, version, recorded_at.toISOString()]),
  ).toEqual([first, second, third].map((one) => [one.consent, one.version, one.recordedAt]))
  expect((await eventsOf(userId)).map(({ data }) => data.consent)).toEqual([true, true, false])
  expect(await service.data(`/user/${userId}`)).toMatchObject({ privacyConsent: false })
})

test('a consent says what others see, `named` where it is left out, and a survey does not widen it', async () => {
  const userId = 'seen'
  const choice = async (fields: object) =>
    (await service.data('/privacy', { body: { userId, consent: true, ...fields } })).visibility
  const stored = async () => (await rowOf(userId))?.visibility
  expect([await choice({ visibility: 'crowd' }), await stored()]).toEqual(['crowd', 'crowd'])
  await service.data('/survey', { body: { userId, answers: ANSWERS, consent: false } })
  await service.data('/survey', { body: { userId, answers: ANSWERS, consent: true } })
  expect(await stored()).toBe('crowd')
  expect([await choice({ visibility: 'anonymous' }), await stored()]).toEqual(['anonymous', 'anonymous'])
  const published = service.published()
  expect(await choice({ visibility: 'anonymous' })).toBe('anonymous')
  expect(service.published()).toBe(published)
  expect([await choice({}), await stored()]).toEqual([undefined, 'named'])
  const seen = (await eventsOf(userId)).map(({ data }) => data.visibility)
  expect(seen).toEqual(['crowd', 'crowd', 'crowd', 'anonymous', 'named'])
  const history =
    await service.sql`SELECT visibility FROM engagement.consent_history WHERE user_id = ${userId} ORDER BY id`
  expect(history.map(({ visibility }) => visibility)).toEqual(seen)
  expect(await service.data(`/user/${userId}`)).not.toHaveProperty('visibility')
})

/** Contract section 2, written out: from → to → the answer. */
const TRANSITIONS = {
  active: { active: 200, completed: 200, withdrawn: 200 },
  completed: { active: 409, completed: 200, withdrawn: 409 },
  withdrawn: { active: 200, completed: 409, withdrawn: 200 },
} as const

for (const from of PARTICIPANT_STATUSES)
  for (const to of PARTICIPANT_STATUSES)
    test(`a participant's status from ${from} to ${to} answers ${TRANSITIONS[from][to]}`, async () => {
      const userId = `from-${from}-to-${to}`
      await service.data('/participant-status', { body: { userId, status: from } })
      const before = (await eventsOf(userId)).length
      const { status, body } = await service.call('/participant-status', { body: { userId, status: to } })
      expect(status).toBe(TRANSITIONS[from][to])
      if (status === 200) expect(body.data).toEqual({ userId, status: to })
      else expect(body.error).toBe(`A participant who is ${from} cannot become ${to}.`)
      expect(await service.data(`/user/${userId}`)).toMatchObject({ status: status === 200 ? to : from })
      expect((await eventsOf(userId)).length - before).toBe(status === 200 && from !== to ? 1 : 0)
    })

test('concurrent writes of one new participant take effect once each', async () => {
  const userId = 'crowd'
  const calls = Array.from({ length: 40 }, (_, index) => {
    if (index % 4 === 0) return service.call('/user/sync', { body: { userId, displayName: 'A' } })
    if (index % 4 === 1) return service.call('/user/phone', { body: { userId, phone: '0912345678' } })
    if (index % 4 === 2) return service.call('/privacy', { body: { userId, consent: true } })
    return service.call('/participant-status', {
      body: { userId, status: index % 8 === 3 ? 'completed' : 'withdrawn' },
    })
  })
  const answers = await Promise.all(calls)
  for (const { status } of answers) expect([200, 409]).toContain(status)
  expect(await rowOf(userId)).toMatchObject({ display_name: 'A', phone: '+886912345678', consent: true })
  const events = await eventsOf(userId)
  expect(events).toHaveLength(4)
  expect(events.at(-1)?.data).toMatchObject({ displayName: 'A', consent: true })
  expect(await service.sql`SELECT 1 FROM engagement.consent_history WHERE user_id = ${userId}`).toHaveLength(
    1,
  )
})

test('responses to a change of status or consent wait until every process has it; others do not', async () => {
  const of = (userId: string) => service.refreshed.filter((one) => one === userId).length
  const userId = 'refreshed'
  await service.data('/user/sync', { body: { userId, displayName: 'A' } })
  await service.data('/user/phone', { body: { userId, phone: '0912345678' } })
  await service.data('/submit', { body: { userId, answers: ANSWERS } })
  expect(of(userId)).toBe(0)
  await service.data('/participant-status', { body: { userId, status: 'withdrawn' } })
  expect(of(userId)).toBe(1)
  // A retry: the process that made the change may have died before it called the others.
  await service.data('/participant-status', { body: { userId, status: 'withdrawn' } })
  await service.data('/privacy', { body: { userId, consent: true } })
  await service.data('/submit', { body: { userId, answers: ANSWERS, consent: false } })
  expect(of(userId)).toBe(4)
})

test('every copy is called, and one that is away or silent delays the response only briefly', async () => {
  const called: string[] = []
  const copyOf = (name: string, status: number) =>
    Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: async (request) => {
        called.push(`${name} ${new URL(request.url).pathname} ${JSON.stringify(await request.json())}`)
        return status === 0 ? await new Promise<Response>(() => {}) : new Response(null, { status })
      },
    })
  const copies = [copyOf('a', 200), copyOf('b', 503), copyOf('silent', 0)]
  const log = createLog({ service: 'test', level: 'silent' })
  const [map = '', ...tracking] = copies.map(({ url }) => url.origin)
  const refresh = refreshViewsAt({
    urls: [`${tracking.join(',')},http://127.0.0.1:9`, map, 'http://no.such.name.invalid'],
    internalToken: 'token',
    log,
  })
  await refresh('user-1')
  expect(called.toSorted()).toEqual(
    ['a', 'b', 'silent'].map((name) => `${name} /internal/participants/refresh {"userId":"user-1"}`),
  )
  for (const copy of copies) await copy.stop(true)
})
