import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import type { LinkRequest } from '@palanquin/domain/session'
import { emptyTables } from '@palanquin/testing/empty-tables'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { NO_ERASURE, startTestService, type TestService } from '../../test/service.ts'
import { ANSWERS } from '../../test/survey.ts'
import { finishLinks, mergeLateWrites } from './link.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const DEVICE = `w_${'a'.repeat(22)}`
const PERSON = `U${'1'.repeat(32)}`
const OTHER = `U${'2'.repeat(32)}`

let service: TestService
const services = { images: true, points: true, moved: [] as string[], erased: [] as string[] }
beforeAll(async () => {
  service = await startTestService({
    linkAt: {
      images: async ({ deviceId }) => {
        if (services.images) services.moved.push(deviceId)
        return services.images
      },
      points: async () => services.points,
    },
    eraseAt: {
      tracking: async (userId) => {
        services.erased.push(userId)
        return { erased: {}, event: NO_ERASURE, closedUntil: 0 }
      },
    },
  })
})
afterAll(() => service.close())
beforeEach(async () => {
  Object.assign(services, { images: true, points: true, moved: [], erased: [] })
  await emptyTables(
    service.sql,
    'engagement.sessions',
    'engagement.recovery_codes',
    'engagement.session_changes',
    'engagement.links',
    'engagement.roles',
    'engagement.participants',
    'engagement.feedback',
    'engagement.consent_history',
    'engagement.survey_history',
    'engagement.audit',
    'engagement.outbox',
    'engagement.devices',
    'engagement.device_tokens',
  )
})

const hashOf = (name: string) => name.padEnd(43, 'x')
const BLANK_SESSION = { adminKey: null, adminRole: null, codeHash: null, replaces: null }
const signIn = (hash: string, userId: string, codeHash: string | null = null) =>
  service.sessions.start({
    ...BLANK_SESSION,
    hash: hashOf(hash),
    userId,
    codeHash: codeHash && hashOf(codeHash),
    kind: userId.startsWith('w_') ? 'device' : 'line',
  })
const asPerson = (hash: string, present: string, over: Partial<LinkRequest> = {}): LinkRequest => ({
  present: hashOf(present),
  session: { ...BLANK_SESSION, hash: hashOf(hash), kind: 'line', userId: PERSON, replaces: hashOf(present) },
  codeHash: null,
  ...over,
})
const link = (request: LinkRequest) => service.call('/internal/sessions/link', { body: request })
const statusOf = async (request: LinkRequest) => (await link(request)).status
const profile = (userId: string) => service.call(`/user/${userId}`)
const dataOf = async (userId: string) => (await profile(userId)).body.data as Record<string, unknown>
const count = async (table: string, userId: string) =>
  (
    await service.sql`SELECT count(*)::int AS n FROM ${service.sql(`engagement.${table}`)} WHERE user_id = ${userId}`
  )[0]?.n

test('everything that the device said becomes the person’s, who was not registered before', async () => {
  await signIn('phone', DEVICE, 'code')
  await service.data('/user/sync', { body: { userId: DEVICE, displayName: '阿嬤', language: 'en' } })
  await service.data('/user/phone', { body: { userId: DEVICE, phone: '0912345678' } })
  await service.data('/privacy', {
    body: { userId: DEVICE, consent: true, version: '1', visibility: 'crowd' },
  })
  await service.data('/submit', { body: { userId: DEVICE, answers: ANSWERS } })
  await service.data('/feedback', { body: { userId: DEVICE, category: 'praise', message: '讚' } })
  expect((await link(asPerson('next', 'phone'))).body.data).toMatchObject({
    session: { userId: PERSON, kind: 'line' },
    complete: true,
  })
  expect(await dataOf(PERSON)).toMatchObject({
    displayName: '阿嬤',
    language: 'en',
    privacyConsent: true,
    surveyCompleted: 1,
    hasPhone: true,
  })
  expect((await profile(DEVICE)).status).toBe(404)
  for (const table of ['consent_history', 'survey_history', 'feedback'])
    expect([table, await count(table, DEVICE), await count(table, PERSON)]).toEqual([table, 0, 1])
  const [row] = await service.sql`SELECT visibility FROM engagement.participants WHERE user_id = ${PERSON}`
  expect(row?.visibility).toBe('crowd')
  expect(services.moved).toEqual([DEVICE])
  const left = (await service.outbox()).find(
    ({ data }) => data.userId === DEVICE && data.joinedTo !== undefined,
  )
  expect(left?.data).toMatchObject({ status: 'withdrawn', consent: false, joinedTo: PERSON })
})

test('where both have said something the person’s stays; of two consents the narrower', async () => {
  for (const [userId, name, phone, q5] of [
    [DEVICE, '手機', '0911111111', 1],
    [PERSON, '本人', '0922222222', 2],
  ] as const) {
    await service.data('/user/sync', { body: { userId, displayName: name } })
    await service.data('/user/phone', { body: { userId, phone } })
    await service.data('/submit', { body: { userId, answers: { ...ANSWERS, q5 } } })
  }
  await service.data('/participant-status', { body: { userId: PERSON, status: 'completed' } })
  await signIn('phone', DEVICE)
  expect(await statusOf(asPerson('next', 'phone'))).toBe(200)
  expect(await dataOf(PERSON)).toMatchObject({
    displayName: '本人',
    status: 'completed',
    phone: '+886•••••222',
  })
  const [row] = await service.sql`SELECT survey FROM engagement.participants WHERE user_id = ${PERSON}`
  expect(row?.survey).toMatchObject({ q5: 2 })
})

test.each([
  ['both consent', [true, 'named'], [true, 'anonymous'], [true, 'anonymous']],
  ['the device took it back', [false, 'named'], [true, 'named'], [false, 'named']],
  ['the person took it back', [true, 'crowd'], [false, 'named'], [false, 'crowd']],
  ['the person never decided', [true, 'crowd'], null, [true, 'crowd']],
  ['the device never decided', null, [true, 'anonymous'], [true, 'anonymous']],
] as const)('consent: %s', async (_, device, person, joined) => {
  await signIn('phone', DEVICE)
  for (const [userId, said] of [
    [DEVICE, device],
    [PERSON, person],
  ] as const)
    if (said)
      await service.data('/privacy', {
        body: { userId, consent: said[0], version: '1', visibility: said[1] },
      })
  expect(await statusOf(asPerson('next', 'phone'))).toBe(200)
  const [row] = await service.sql`
    SELECT consent, visibility FROM engagement.participants WHERE user_id = ${PERSON}`
  expect([row?.consent, row?.visibility]).toEqual([...joined])
})

test('the device’s sessions are the person’s, its recovery code and role are gone', async () => {
  await signIn('phone', DEVICE, 'code')
  await signIn('tablet', DEVICE)
  await service.sql`INSERT INTO engagement.roles (user_id, role, given_by) VALUES (${DEVICE}, 'owner', 'owner')`
  expect(await statusOf(asPerson('next', 'phone'))).toBe(200)
  const [phone, tablet] = await Promise.all(
    ['phone', 'tablet'].map(async (hash) => (await service.sessions.find([hashOf(hash)]))[0]),
  )
  expect(phone).toMatchObject({ isOver: true })
  expect(tablet).toMatchObject({ isOver: false, userId: PERSON, kind: 'line', role: null })
  const recovery = { hash: hashOf('r'), codeHash: hashOf('code'), nextCodeHash: hashOf('n'), replaces: null }
  expect(await service.sessions.recover(recovery)).toBeNull()
})

test('the apps that send for the device send for the person, beside those of the person', async () => {
  for (const userId of [DEVICE, PERSON])
    for (const app of ['overland', 'colota'])
      await service.call('/devices', { body: { userId, app }, tier: 2 })
  await signIn('phone', DEVICE)
  expect(await statusOf(asPerson('line', 'phone'))).toBe(200)
  const rows = await service.sql`SELECT user_id AS "userId", slot FROM engagement.devices ORDER BY slot`
  expect([...rows]).toEqual([1, 2, 3, 4].map((slot) => ({ userId: PERSON, slot })))
  expect(await service.sql`SELECT 1 FROM engagement.outbox WHERE type = 'device.changed'`).toHaveLength(2)
})

test('a recovery code joins the walk of a phone that is not at hand', async () => {
  await signIn('old-phone', DEVICE, 'code')
  await signIn('line', PERSON)
  expect(await statusOf(asPerson('next', 'line', { codeHash: hashOf('wrong') }))).toBe(404)
  expect(await statusOf(asPerson('next', 'line', { codeHash: hashOf('code') }))).toBe(200)
  expect((await profile(DEVICE)).status).toBe(404)
})

test('a walk of another is not joined: without a session, with another’s, or what was joined before', async () => {
  expect(await statusOf(asPerson('next', 'unknown'))).toBe(404)
  await signIn('line', OTHER)
  expect(await statusOf(asPerson('next', 'line'))).toBe(409)
  await signIn('person', PERSON)
  expect(await statusOf(asPerson('next', 'person'))).toBe(409)
  await service.sql`INSERT INTO engagement.links (device_id, user_id) VALUES (${DEVICE}, ${OTHER})`
  await signIn('phone', DEVICE)
  expect(await statusOf(asPerson('next', 'phone'))).toBe(409)
  expect((await service.sessions.find([hashOf('next')])).length).toBe(0)
})

test('while another service is away it is joined all the same, and the schedule or a repeated call finishes it', async () => {
  await signIn('phone', DEVICE)
  await signIn('tablet', DEVICE)
  services.images = false
  expect((await link(asPerson('one', 'phone'))).body.data).toMatchObject({ complete: false })
  expect([(await profile(DEVICE)).status, (await profile(PERSON)).status]).toEqual([404, 200])
  services.images = true
  services.points = false
  expect((await link(asPerson('two', 'tablet'))).body.data).toMatchObject({ complete: false })
  expect(await finishLinks(service.links, null)).toBe(false)
  services.points = true
  expect((await link(asPerson('three', 'two'))).body.data).toMatchObject({ complete: true })
  services.moved.length = 0
  expect(await finishLinks(service.links, null)).toBe(true)
  expect(services.moved).toEqual([])
})

test('of many calls at once one joins, and the person is as after one', async () => {
  await service.data('/privacy', { body: { userId: DEVICE, consent: true } })
  await signIn('phone', DEVICE)
  const statuses = await Promise.all(
    Array.from({ length: 8 }, (_, i) => statusOf({ ...asPerson(`n${i}`, 'phone') })),
  )
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(1)
  expect(statuses.every((status) => [200, 404].includes(status))).toBe(true)
  expect([await count('consent_history', PERSON), (await profile(DEVICE)).status]).toEqual([1, 404])
})

test('whatever names the device afterwards is the person’s, and the device is no participant again', async () => {
  await signIn('phone', DEVICE)
  expect(await statusOf(asPerson('next', 'phone'))).toBe(200)
  const consent = { userId: DEVICE, consent: true, version: '2', visibility: 'crowd' }
  const writes = [
    ['/user/sync', { userId: DEVICE, displayName: '阿公' }],
    ['/user/phone', { userId: DEVICE, phone: '0912345678' }],
    ['/privacy', consent],
    ['/survey', { userId: DEVICE, answers: ANSWERS }],
    ['/feedback', { userId: DEVICE, category: 'praise', message: '讚' }],
    ['/participant-status', { userId: DEVICE, status: 'withdrawn' }],
  ] as const
  for (const [path, body] of writes)
    expect([path, (await service.call(path, { body })).status]).toEqual([path, 200])
  expect((await profile(DEVICE)).status).toBe(404)
  expect(await dataOf(PERSON)).toMatchObject({
    displayName: '阿公',
    privacyConsent: true,
    surveyCompleted: 1,
    hasPhone: true,
    status: 'withdrawn',
  })
  for (const table of ['participants', 'consent_history', 'survey_history', 'feedback'])
    expect([table, await count(table, DEVICE), await count(table, PERSON)]).toEqual([table, 0, 1])
})

test('a write that is under way while its device is joined becomes the person’s', async () => {
  const consentOf = (consent: boolean) => ({
    body: { userId: DEVICE, consent, version: '1', visibility: 'named' },
  })
  await service.data('/privacy', consentOf(true))
  await signIn('phone', DEVICE)
  const untilWaiting = (statements: number) =>
    until(
      async () => {
        const [row] = await service.sql`SELECT count(*)::int AS n FROM pg_stat_activity
          WHERE datname = current_database() AND wait_event_type = 'Lock'`
        return row?.n === statements
      },
      { what: `${statements} statements that wait for the device's row` },
    )
  const underWay: Promise<{ status: number }>[] = []
  await service.sql.begin(async (sql) => {
    await sql`SELECT FROM engagement.participants WHERE user_id = ${DEVICE} FOR UPDATE`
    underWay.push(link(asPerson('next', 'phone')))
    await untilWaiting(1)
    underWay.push(service.call('/privacy', consentOf(false)))
    await untilWaiting(2)
  })
  expect((await Promise.all(underWay)).map(({ status }) => status)).toEqual([200, 200])
  // The write did not see the link, and made the device's row again.
  expect(await count('participants', DEVICE)).toBe(1)
  await mergeLateWrites(service.links)
  for (const table of ['participants', 'consent_history']) expect(await count(table, DEVICE)).toBe(0)
  expect(await dataOf(PERSON)).toMatchObject({ privacyConsent: false })
  const before = (await service.outbox()).length
  await mergeLateWrites(service.links)
  expect((await service.outbox()).length).toBe(before)
})

test('a device is not joined where it or the person was erased since the call', async () => {
  for (const erased of [DEVICE, PERSON]) {
    await signIn('phone', DEVICE)
    const { before } = await service.tombstone(erased)
    const late = await service.call('/internal/sessions/link', {
      body: asPerson('next', 'phone'),
      headers: before,
    })
    expect(late.status).toBe(503)
    expect(await service.sql`SELECT FROM engagement.links`).toHaveLength(0)
    expect(await count('sessions', PERSON)).toBe(0)
    await emptyTables(service.sql, 'tracking.erasures', 'engagement.sessions')
  }
  await signIn('phone', DEVICE)
  const { after } = await service.tombstone(PERSON)
  const body = asPerson('next', 'phone')
  expect((await service.call('/internal/sessions/link', { body, headers: after })).status).toBe(200)
})

test('an erasure of the person erases what may still arrive of a device that was joined', async () => {
  await signIn('phone', DEVICE)
  await statusOf(asPerson('next', 'phone'))
  await service.data(`/user/${PERSON}`, { method: 'DELETE', tier: 3 })
  expect(services.erased).toEqual([DEVICE, PERSON])
  const links = await service.sql`SELECT * FROM engagement.links`
  expect([links.length, (await profile(PERSON)).status]).toEqual([0, 404])
})
