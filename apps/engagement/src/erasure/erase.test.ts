import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { publish } from '@palanquin/events/publish'
import { entriesOf, STREAM_KEY } from '@palanquin/events/stream'
import { HOST_HEADER, USER_HEADER } from '@palanquin/service/http/headers'
import { searchPostgres } from '@palanquin/testing/search'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { keysOf, NO_ERASURE, startTestService, type TestService } from '../../test/service.ts'
import type { ErasedPart } from './services.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

type Service = 'tracking' | 'media' | 'lineBot'
const PARTS: Record<Service, ErasedPart> = {
  tracking: { erased: { points: 7, events: 1 }, event: NO_ERASURE, closedUntil: 0 },
  media: { erased: { photos: 2 } },
  lineBot: { erased: {} },
}
let away: Service | null = null
let called: Service[] = []
let left = { ...PARTS }
/** A service that erases what it has once, and may be away. */
const partOf = (name: Service) => async () => {
  called.push(name)
  if (away === name) return null
  const part = left[name]
  left = { ...left, [name]: { ...part, erased: {} } }
  return part
}

let service: TestService
beforeAll(async () => {
  service = await startTestService({
    eraseAt: { tracking: partOf('tracking'), media: partOf('media'), lineBot: partOf('lineBot') },
  })
})
afterAll(() => service.close())
beforeEach(() => {
  away = null
  called = []
  left = { ...PARTS }
})

const SESSION = {
  hash: 'h'.repeat(43),
  kind: 'line',
  adminKey: null,
  adminRole: null,
  codeHash: null,
  replaces: null,
}
const erase = (userId: string, tier: 0 | 1 | 2 | 3 = 3) =>
  service.call(`/user/${userId}`, { method: 'DELETE', tier })
const audit = () =>
  service.sql`SELECT type, by, detail FROM engagement.audit WHERE type = 'participant.erased' ORDER BY id`

/** A participant with a row in every table of engagement. */
async function createParticipant(userId: string): Promise<void> {
  await service.data('/user/sync', { body: { userId, displayName: `name of ${userId}` } })
  await service.data('/privacy', { body: { userId, consent: true } })
  await service.data('/user/phone', { body: { userId, phone: '0912345678' } })
  await service.data('/admin/roles', { body: { userId, role: 'volunteer' }, tier: 3 })
  await service.data('/feedback', { body: { userId, category: 'praise', message: 'thank you' } })
  await service.sql`INSERT INTO engagement.survey_history (user_id, answers) VALUES (${userId}, '{}')`
  await service.data(`/user/${userId}`)
}

test('an erasure removes everything of a participant, keeps others and the audit, and counts it', async () => {
  await createParticipant('leaver')
  await createParticipant('other')
  await service.sql`INSERT INTO engagement.audit (type, by, detail)
    VALUES ('push.sent', 'owner', '{"userIds": ["other", "leaver"], "recipients": 2}')`
  await publish(service.redis, {
    id: crypto.randomUUID(),
    type: 'achievement.unlocked',
    at: '2026-05-01T00:00:00.000Z',
    data: { userId: 'leaver', at: '2026-05-01T00:00:00.000Z' },
  })
  const unsent = (await service.outbox()).filter(({ data }) => data.userId === 'leaver').length
  const { status, body } = await erase('leaver')
  expect(status).toBe(200)
  const erased = {
    participants: 1,
    consents: 1,
    surveys: 1,
    feedback: 1,
    lost: 0,
    roles: 1,
    sessions: 0,
    devices: 0,
    audit: 2,
    points: 7,
    photos: 2,
    events: unsent + 2,
  }
  expect(body.data).toEqual({ userId: 'leaver', erased })

  for (const table of [
    'participants',
    'consent_history',
    'survey_history',
    'feedback',
    'roles',
    'audit',
    'outbox',
  ]) {
    const rows =
      await service.sql`SELECT row_to_json(t)::text AS text FROM ${service.sql(`engagement.${table}`)} AS t`
    expect({ table, named: rows.filter(({ text }) => text.includes('leaver')) }).toEqual({ table, named: [] })
    expect({ table, others: rows.some(({ text }) => text.includes('other')) }).toEqual({
      table,
      others: true,
    })
  }
  expect((await service.call('/user/leaver')).status).toBe(404)
  expect((await service.call('/user/other')).status).toBe(200)
  expect(await service.redis.exists(keysOf('leaver').statistics)).toBe(0)
  expect(JSON.stringify(entriesOf(await service.redis.xRange(STREAM_KEY, '-', '+')))).not.toContain('leaver')
  expect([...(await audit())]).toEqual([
    { type: 'participant.erased', by: 'owner', detail: { erased: { ...erased, photos: 2 } } },
  ])
  const published = (await service.outbox()).filter(({ type }) => type === 'participant.erased')
  expect(published.map(({ data }) => data)).toEqual([NO_ERASURE, NO_ERASURE])
})

test('a second erasure is 404 and audits nothing', async () => {
  await createParticipant('repeated')
  expect((await erase('repeated')).status).toBe(200)
  const before = (await audit()).length
  expect((await erase('repeated')).status).toBe(404)
  expect((await erase('unknown')).status).toBe(404)
  expect((await audit()).length).toBe(before)
})

for (const name of ['tracking', 'media', 'lineBot'] as const)
  test(`with ${name} away an erasure is 503, engagement keeps its rows, and the next call finishes`, async () => {
    const userId = `waiting-${name}`
    await createParticipant(userId)
    away = name
    const { status, headers, body } = await erase(userId)
    expect(status).toBe(503)
    expect(headers.get('retry-after')).not.toBeNull()
    expect(body.error).toContain('Call this again')
    expect((await service.call(`/user/${userId}`)).status).toBe(200)
    if (name === 'tracking') expect(called).toEqual(['tracking'])
    away = null
    expect((await erase(userId)).status).toBe(200)
    expect((await service.call(`/user/${userId}`)).status).toBe(404)
  })

test('an erasure retries a service that is briefly away, and counts all attempts', async () => {
  await createParticipant('waited-for')
  const waiting = await startTestService({
    databaseUrl: service.databaseUrl,
    redisUrl: service.redisUrl,
    eraseDeadlineMs: 50_000,
    eraseAt: { tracking: partOf('tracking'), media: partOf('media'), lineBot: partOf('lineBot') },
  })
  away = 'media'
  const erasing = waiting.call('/user/waited-for', { method: 'DELETE', tier: 3 })
  await until(() => called.filter((name) => name === 'media').length >= 3, { what: 'media is called again' })
  away = null
  const { status, body } = await erasing
  expect(status).toBe(200)
  expect(body.data).toMatchObject({ erased: { points: 7, photos: 2, participants: 1 } })
  const audited = (await audit()).at(-1)
  expect(audited).toMatchObject({ detail: { erased: { points: 7, photos: 2 } } })
  await waiting.close()
})

test('what is left of a device that was joined goes too: pictures, cache, events on the bus', async () => {
  await createParticipant('linked')
  await service.sql`INSERT INTO engagement.links (device_id, user_id) VALUES ('w_device', 'linked')`
  await service.cache.drop('w_device')
  await publish(service.redis, {
    id: crypto.randomUUID(),
    type: 'achievement.unlocked',
    at: '2026-05-01T00:00:00.000Z',
    data: { userId: 'w_device', at: '2026-05-01T00:00:00.000Z' },
  })
  expect((await erase('linked')).status).toBe(200)
  expect(called.filter((name) => name === 'media').length).toBe(4)
  expect(await service.redis.exists(keysOf('w_device').statistics)).toBe(0)
  expect(JSON.stringify(entriesOf(await service.redis.xRange(STREAM_KEY, '-', '+')))).not.toContain(
    'w_device',
  )
})

test('a snapshot that was read before an erasure cannot be cached after it', async () => {
  await createParticipant('cached')
  const snapshot = (await service.cache.read('cached'))?.fresh
  await service.redis.del(keysOf('cached').statistics)
  const before = await service.cache.read('cached')
  if (!before || before.fresh || !snapshot) throw new Error('no snapshot was cached')
  await erase('cached')
  await service.cache.write('cached', before, snapshot)
  expect(await service.redis.exists(keysOf('cached').statistics)).toBe(0)
})

test('a device that is joined while the erasure begins is erased with the person', async () => {
  const userId = 'joined-meanwhile'
  const device = 'w_meanwhile'
  await createParticipant(userId)
  const erased: string[] = []
  const joining = await startTestService({
    databaseUrl: service.databaseUrl,
    redisUrl: service.redisUrl,
    eraseDeadlineMs: 50_000,
    eraseAt: {
      tracking: async (id) => {
        erased.push(id)
        await service.sql`INSERT INTO engagement.links (device_id, user_id) VALUES (${device}, ${userId})
          ON CONFLICT DO NOTHING`
        return PARTS.tracking
      },
    },
  })
  expect((await joining.call(`/user/${userId}`, { method: 'DELETE', tier: 3 })).status).toBe(200)
  expect(erased).toContain(device)
  expect(erased.at(-1)).toBe(userId)
  expect(await searchPostgres(service.sql, [userId, device])).toEqual([])
  await joining.close()
})

test('what an administrator does while they are erased stays without their name', async () => {
  await createParticipant('acting')
  const acting = await startTestService({
    databaseUrl: service.databaseUrl,
    redisUrl: service.redisUrl,
    eraseAt: {
      tracking: partOf('tracking'),
      media: async () => {
        const rows = await service.sql`SELECT FROM engagement.participants WHERE user_id = 'acting'`
        if (rows.length === 0) {
          await service.sql`INSERT INTO engagement.audit (type, by) VALUES ('activity.changed', 'acting')`
          await service.sql`UPDATE engagement.activity SET by = 'acting'`
        }
        return PARTS.media
      },
      lineBot: partOf('lineBot'),
    },
  })
  expect((await acting.call('/user/acting', { method: 'DELETE', tier: 3 })).status).toBe(200)
  expect(await searchPostgres(service.sql, ['acting'])).toEqual([])
  expect(Array.from(await service.sql`SELECT by FROM engagement.activity`)).toEqual([{ by: 'erased' }])
  await acting.close()
})

test('a write after an erasure makes a new participant without old data', async () => {
  await createParticipant('phoenix')
  await erase('phoenix')
  expect(await service.data('/user/sync', { body: { userId: 'phoenix' } })).toMatchObject({
    displayName: null,
    hasPhone: false,
    privacyConsent: false,
  })
})

test('an authenticated participant may erase only themselves, and the audit says so', async () => {
  await createParticipant('themselves')
  const as = (user: string) => ({ method: 'DELETE', headers: { [USER_HEADER]: user } })
  expect((await service.call('/user/themselves', as('another'))).status).toBe(401)
  expect(called).toEqual([])
  expect((await service.call('/user/themselves', as('themselves'))).status).toBe(200)
  expect((await service.call('/user/themselves')).status).toBe(404)
  expect((await audit()).at(-1)).toMatchObject({ by: 'participant' })
})

test('among administrators only an owner may erase', async () => {
  await createParticipant('remaining')
  for (const [tier, status] of [
    [0, 401],
    [1, 403],
    [2, 403],
  ] as const)
    expect((await erase('remaining', tier)).status).toBe(status)
  expect(called).toEqual([])
  expect((await erase('no such id!')).status).toBe(400)
})

test('what was received before an erasure and is written after it is void, wherever it waited', async () => {
  const userId = 'gone-meanwhile'
  const { before, after } = await service.tombstone(userId)
  const answers = { q1: [], q2: [], q3: 'bus', q4: [], q5: 0, q6: '素食', q7: 0, q8: 0, q9: 0 }
  const writes: [path: string, body: object][] = [
    ['/user/sync', { userId, displayName: 'name' }],
    ['/user/phone', { userId, phone: '0912345678' }],
    ['/privacy', { userId, consent: true }],
    ['/participant-status', { userId, status: 'withdrawn' }],
    ['/submit', { userId, answers }],
    ['/feedback', { userId, category: 'praise', message: 'thank you' }],
    ['/share', { hours: 1 }],
    ['/devices', { userId, app: 'owntracks' }],
    ['/setup-links', { userId, name: 'phone' }],
    ['/internal/sessions', { ...SESSION, userId }],
    ['/admin/roles', { userId, role: 'volunteer' }],
    ['/admin/roles', { userId, role: null }],
    ['/admin/lost', { userId, kind: 'lost', about: 'a girl of six' }],
  ]
  const send = async (arrived: Record<string, string>) => {
    const statuses: number[] = []
    const headers = { [USER_HEADER]: userId, [HOST_HEADER]: 'walk.example', ...arrived }
    for (const [path, body] of writes)
      statuses.push((await service.call(path, { body, headers, tier: 3 })).status)
    return statuses
  }
  const named = () => searchPostgres(service.sql, [userId])
  await send(before)
  expect(await named()).toEqual([])
  for (const status of await send(after)) expect([200, 201]).toContain(status)
  expect(await named()).not.toEqual([])
})
