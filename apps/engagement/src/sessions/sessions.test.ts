import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import type { NewSession } from '@palanquin/domain/session'
import { HOST_HEADER, USER_HEADER } from '@palanquin/service/http/headers'
import { emptyTables } from '@palanquin/testing/empty-tables'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { startTestService, type TestService } from '../../test/service.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const DAY_MS = 86_400_000
let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())
beforeEach(async () => {
  await emptyTables(
    service.sql,
    'engagement.sessions',
    'engagement.recovery_codes',
    'engagement.session_changes',
    'engagement.shares',
    'engagement.devices',
    'engagement.device_tokens',
    'engagement.roles',
    'engagement.participants',
    'engagement.audit',
    'engagement.outbox',
  )
})

const hashOf = (name: string) => name.padEnd(43, 'x')
const start = (hash: string, session: Partial<NewSession> = {}) =>
  service.sessions.start({
    hash: hashOf(hash),
    kind: 'line',
    userId: 'U1',
    adminKey: null,
    adminRole: null,
    codeHash: null,
    replaces: null,
    ...session,
  })
const find = async (hash: string) => (await service.sessions.find([hashOf(hash)]))[0]
const signOut = async (hash: string) =>
  (await service.sessions.end({ hash: hashOf(hash), nextCodeHash: null })).ended
const everywhere = (hash: string, nextCode = 'next') =>
  service.sessions.end({ hash: hashOf(hash), nextCodeHash: hashOf(nextCode) })
const daysLeft = (expiresAt: string | undefined) =>
  Math.round(((Date.parse(expiresAt ?? '') - Date.now()) / DAY_MS) * 10) / 10

test('starting a session makes the participant, once, and names nothing in the database but a hash', async () => {
  const session = await start('a', { kind: 'device', userId: `w_${'a'.repeat(22)}`, codeHash: hashOf('c') })
  expect(session).toMatchObject({ kind: 'device', isOver: false, isStaff: false, role: null })
  expect(daysLeft(session.expiresAt)).toBe(30)
  await start('b', { kind: 'device', userId: `w_${'a'.repeat(22)}` })
  expect(await service.outbox()).toMatchObject([{ type: 'participant.changed' }])
  expect((await service.call(`/user/w_${'a'.repeat(22)}`)).status).toBe(200)
})

test('a join whose answer was lost is answered again for a quarter of an hour, and its first code is void', async () => {
  const userId = `w_${'a'.repeat(22)}`
  const attemptHash = hashOf('attempt')
  await start('a', { kind: 'device', userId, codeHash: hashOf('lost'), attemptHash })
  const again = (hash: string, of = attemptHash) =>
    service.sessions.recover({
      hash: hashOf(hash),
      codeHash: of,
      attemptHash: of,
      nextCodeHash: hashOf(`code of ${hash}`),
      replaces: null,
    })
  expect(await again('z', hashOf('another'))).toBeNull()
  expect(await again('b')).toMatchObject({ userId, kind: 'device', isOver: false })
  expect((await find('a'))?.isOver).toBe(true)
  const move = { hash: hashOf('m'), nextCodeHash: hashOf('n'), replaces: null }
  expect(await service.sessions.recover({ ...move, codeHash: hashOf('lost') })).toBeNull()
  await service.sql`UPDATE engagement.recovery_codes SET attempted_at = now() - interval '16 minutes'`
  expect(await again('c')).toBeNull()
  expect(await service.sessions.recover({ ...move, codeHash: hashOf('code of b') })).toMatchObject({ userId })
})

/** As if the last look-up was then. */
const unused = (hours: number) =>
  service.sql`UPDATE engagement.sessions SET last_seen_at = now() - make_interval(hours => ${hours})`

test('a session in use lasts thirty days from the last use, one of an administrator twelve hours from its start', async () => {
  await start('a')
  await service.sql`UPDATE engagement.sessions SET expires_at = now() + interval '2 days'`
  expect(daysLeft((await find('a'))?.expiresAt)).toBe(2)
  await unused(2)
  expect(daysLeft((await find('a'))?.expiresAt)).toBe(30)
  await service.sql`INSERT INTO engagement.roles (user_id, role, given_by) VALUES ('U2', 'volunteer', 'owner')`
  const staff = await start('b', { userId: 'U2' })
  expect([staff.isStaff, staff.role, daysLeft(staff.expiresAt)]).toEqual([true, 'volunteer', 0.5])
  await service.sql`UPDATE engagement.sessions SET expires_at = now() + interval '1 hour' WHERE is_staff`
  await unused(2)
  expect(daysLeft((await find('b'))?.expiresAt)).toBe(0)
})

test('ninety days after its start a participant’s session is over, however often it was used', async () => {
  await start('a')
  await service.sql`UPDATE engagement.sessions SET created_at = now() - interval '80 days'`
  await unused(2)
  expect(daysLeft((await find('a'))?.expiresAt)).toBe(10)
  await service.sql`UPDATE engagement.sessions
    SET created_at = now() - interval '91 days', expires_at = now() + interval '1 second'`
  await unused(2)
  expect((await find('a'))?.isOver).toBe(true)
})

test('a person sees the own open sessions, and ends each by an id that is neither token nor hash', async () => {
  for (const hash of ['a', 'b', 'gone']) await start(hash, { device: `phone ${hash}` })
  await start('other', { userId: 'U2' })
  await signOut('gone')
  const { items, nextCursor, total } = await service.sessions.own('U1', hashOf('b'))
  expect([total, nextCursor]).toEqual([2, null])
  expect(items.map(({ device, current }) => [device, current])).toEqual([
    ['phone b', true],
    ['phone a', false],
  ])
  const [, of] = items
  expect(of).toMatchObject({ kind: 'line', createdAt: expect.any(String), lastSeenAt: expect.any(String) })
  const id = of?.id ?? ''
  expect(id).not.toContain(hashOf('a').slice(0, 8))
  expect(await service.sessions.endOwn('U2', id)).toEqual([])
  expect(await service.sessions.endOwn('U1', 'no id')).toEqual([])
  expect(await service.sessions.endOwn('U1', id)).toEqual([hashOf('a')])
  expect(await service.sessions.endOwn('U1', id)).toEqual([])
  expect((await find('a'))?.isOver).toBe(true)
  expect(await service.sessions.changed()).toContain(hashOf('a'))
  expect((await service.sessions.own('U1', null)).items.map(({ current }) => current)).toEqual([false])
})

test('an expired session stays expired for every caller', async () => {
  await start('a')
  await service.sql`UPDATE engagement.sessions SET expires_at = now() - interval '1 second'`
  expect([(await find('a'))?.isOver, (await find('a'))?.isOver, await find('z')]).toEqual([
    true,
    true,
    undefined,
  ])
})

test('the role is the present one: changed it changes, taken it is gone, given later it needs a new sign-in', async () => {
  await start('before')
  await service.sql`INSERT INTO engagement.roles (user_id, role, given_by) VALUES ('U1', 'volunteer', 'owner')`
  await start('after')
  expect([(await find('before'))?.role, (await find('after'))?.role]).toEqual([null, 'volunteer'])
  await service.sql`UPDATE engagement.roles SET role = 'manager'`
  expect((await find('after'))?.role).toBe('manager')
  await service.sql`DELETE FROM engagement.roles`
  expect(await find('after')).toMatchObject({ role: null, isOver: false, userId: 'U1' })
  expect(await service.sql`SELECT type, by, detail FROM engagement.audit`).toMatchObject([
    { type: 'session.started', by: 'U1', detail: { kind: 'line' } },
  ])
})

test('signing out ends this session alone, everywhere all of the person, and gateways learn which', async () => {
  for (const hash of ['a', 'b', 'c']) await start(hash)
  await start('other', { userId: 'U2' })
  expect(await signOut('a')).toEqual([hashOf('a')])
  expect(await signOut('a')).toEqual([])
  expect((await everywhere('b')).ended.toSorted()).toEqual([hashOf('b'), hashOf('c')])
  expect((await service.sessions.changed()).toSorted()).toEqual(['a', 'b', 'c'].map(hashOf))
  expect((await find('other'))?.isOver).toBe(false)
})

test('signing out everywhere with an admin token’s session leaves those of colleagues', async () => {
  const admin = { kind: 'admin', userId: null, adminKey: 'k', adminRole: 'owner' } as const
  await start('a', admin)
  await start('b', admin)
  expect((await everywhere('a')).ended).toEqual([hashOf('a')])
})

test('signing out everywhere ends family links and phone apps, and puts another recovery code in force', async () => {
  const userId = `w_${'e'.repeat(22)}`
  const as = { headers: { [USER_HEADER]: userId, [HOST_HEADER]: 'walk.example' } }
  await start('a', { kind: 'device', userId, codeHash: hashOf('old'), attemptHash: hashOf('attempt') })
  const share = await service.call('/share', { body: { hours: 1 }, ...as })
  const token = String((share.body.data as Record<string, unknown>).token)
  for (const owner of [userId, 'U2'])
    expect(
      (await service.call('/devices', { body: { userId: owner, app: 'owntracks' }, tier: 2 })).status,
    ).toBe(201)
  await service.call('/setup-links', { body: { userId, name: '手機' }, ...as })

  expect(await everywhere('a', 'new')).toEqual({ ended: [hashOf('a')], hasNextCode: true })
  expect(await everywhere('a', 'new')).toEqual({ ended: [], hasNextCode: true })
  expect(await everywhere('a', 'of a thief')).toEqual({ ended: [], hasNextCode: false })
  expect((await service.call(`/share/${token}`)).status).toBe(410)
  expect(await service.sql`SELECT user_id FROM engagement.devices`).toMatchObject([{ user_id: 'U2' }])
  expect(await service.sql`SELECT FROM engagement.setup_links WHERE user_id = ${userId}`).toHaveLength(0)
  expect(await service.sql`SELECT FROM engagement.outbox WHERE type = 'device.changed'`).not.toHaveLength(0)
  const recover = (codeHash: string, attemptHash: string | null = null) =>
    service.sessions.recover({
      hash: hashOf('b'),
      codeHash: hashOf(codeHash),
      nextCodeHash: hashOf('next'),
      replaces: null,
      attemptHash: attemptHash && hashOf(attemptHash),
    })
  expect(await recover('old')).toBeNull()
  expect(await recover('attempt', 'attempt')).toBeNull()
  expect(await recover('new')).toMatchObject({ userId, kind: 'device' })
})

test('a LINE id that signs out everywhere gets no recovery code', async () => {
  await start('a')
  expect(await everywhere('a')).toEqual({ ended: [hashOf('a')], hasNextCode: false })
})

test('a recovery code works once and gives the next; sessions that there were go on', async () => {
  const userId = `w_${'b'.repeat(22)}`
  await start('first', { kind: 'device', userId, codeHash: hashOf('code1') })
  const recover = (hash: string, code: string, next: string) =>
    service.sessions.recover({
      hash: hashOf(hash),
      codeHash: hashOf(code),
      nextCodeHash: hashOf(next),
      replaces: null,
    })
  expect(await recover('second', 'code1', 'code2')).toMatchObject({ kind: 'device', userId, role: null })
  expect(await recover('third', 'code1', 'code3')).toBeNull()
  expect(await recover('third', 'code2', 'code3')).toMatchObject({ userId })
  expect((await find('first'))?.isOver).toBe(false)
})

test('an attempt whose answer was lost is answered again, and another with the same code is refused', async () => {
  const userId = `w_${'d'.repeat(22)}`
  await start('first', { kind: 'device', userId, codeHash: hashOf('code1') })
  const attempt = (
    hash: string,
    { code = 'code1', by = 'phone' as string | null, replaces = null as string | null } = {},
  ) =>
    service.sessions.recover({
      hash: hashOf(hash),
      codeHash: hashOf(code),
      nextCodeHash: hashOf(`next-${hash}`),
      replaces,
      attemptHash: by === null ? null : hashOf(by),
    })
  expect(await attempt('a')).toMatchObject({ userId })
  for (const by of ['thief', null]) expect(await attempt('stolen', { by })).toBeNull()
  // The gateway sends a call again when its connection breaks.
  for (let i = 0; i < 2; i++) expect(await attempt('b')).toMatchObject({ userId, isOver: false })
  expect([(await find('a'))?.isOver, (await find('b'))?.isOver]).toEqual([true, false])
  // Also when the cookie had arrived, and the rest had not.
  expect(await attempt('c', { replaces: hashOf('b') })).toMatchObject({ userId })
  expect(await attempt('d', { code: 'next-a' })).toBeNull()
  expect(await attempt('e', { code: 'next-c', by: null })).toMatchObject({ userId })
  expect(await attempt('f')).toBeNull()
  expect([(await find('first'))?.isOver, (await find('c'))?.isOver]).toEqual([false, false])
})

test('an attempt is not answered again once its session was signed out, or after a quarter of an hour', async () => {
  const attempt = (hash: string, code: string) =>
    service.sessions.recover({
      hash: hashOf(hash),
      codeHash: hashOf(code),
      nextCodeHash: hashOf(`next-${hash}`),
      replaces: null,
      attemptHash: hashOf('phone'),
    })
  for (const person of ['left', 'slow']) {
    const userId = `w_${person.padEnd(22, 'e')}`
    await start(`first-${person}`, { kind: 'device', userId, codeHash: hashOf(`code-${person}`) })
    expect(await attempt(`lost-${person}`, `code-${person}`)).toMatchObject({ userId })
  }
  await signOut('lost-left')
  await service.sql`UPDATE engagement.recovery_codes SET attempted_at = now() - interval '14 minutes'`
  expect(await attempt('again', 'code-left')).toBeNull()
  expect(await attempt('again', 'code-slow')).toMatchObject({ isOver: false })
  // A repeated attempt does not make the time longer.
  await service.sql`UPDATE engagement.recovery_codes SET attempted_at = attempted_at - interval '1 minute'`
  expect(await attempt('late', 'code-slow')).toBeNull()
})

test('of many who use one recovery code at once, one is signed in', async () => {
  await start('first', { kind: 'device', userId: `w_${'c'.repeat(22)}`, codeHash: hashOf('code') })
  const all = await Promise.all(
    Array.from({ length: 10 }, (_, i) =>
      service.sessions.recover({
        hash: hashOf(`r${i}`),
        codeHash: hashOf('code'),
        nextCodeHash: hashOf(`n${i}`),
        replaces: null,
      }),
    ),
  )
  expect(all.filter((session) => session !== null)).toHaveLength(1)
})

test('an erased person has no session, no recovery code, and is named by no audit entry', async () => {
  await service.sql`INSERT INTO engagement.roles (user_id, role, given_by) VALUES ('U1', 'manager', 'owner')`
  await start('a', { codeHash: hashOf('code') })
  await service.sql`INSERT INTO engagement.roles (user_id, role, given_by) VALUES ('U3', 'volunteer', 'U1')`
  const { erased } = await service.data('/user/U1', { method: 'DELETE', tier: 3 })
  expect(erased).toMatchObject({ sessions: 1 })
  expect(await find('a')).toBeUndefined()
  expect(await service.sessions.changed()).toEqual([hashOf('a')])
  const left = await service.sql`
    SELECT (SELECT count(*)::int FROM engagement.recovery_codes) AS codes,
           (SELECT count(*)::int FROM engagement.audit WHERE by = 'U1') AS audit,
           (SELECT given_by FROM engagement.roles WHERE user_id = 'U3') AS giver`
  expect(left).toMatchObject([{ codes: 0, audit: 0, giver: 'erased' }])
})

test('the job forgets sessions that have been over for a month, and no other', async () => {
  for (const hash of ['old', 'late', 'live']) await start(hash)
  await service.sql`UPDATE engagement.sessions SET ended_at = now() - interval '31 days'
    WHERE token_hash = ${hashOf('old')}`
  await service.sql`UPDATE engagement.sessions SET ended_at = now() - interval '1 day'
    WHERE token_hash = ${hashOf('late')}`
  await service.sessions.forget()
  expect([await find('old'), (await find('late'))?.isOver, (await find('live'))?.isOver]).toEqual([
    undefined,
    true,
    false,
  ])
})
