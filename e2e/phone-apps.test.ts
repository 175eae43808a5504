import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { PHONE_APPS, type PhoneApp } from '@palanquin/domain/phone-apps'
import { credentialTags } from '@palanquin/service/credential-tags'
import { newWriteToken } from '@palanquin/service/write-token'
import { dataOf } from '@palanquin/stack/api'
import { rollingRestart } from '@palanquin/stack/lifecycle/rolling-restart'
import { whilePostgresIsSuspended } from '@palanquin/stack/testing/suspend'
import { startThrowawayStack, type ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { GATEWAY } from '@palanquin/stack/units/services'
import { featureOf } from '@palanquin/testing/phones/formats'
import { searchFiles, searchPostgres, searchRedis } from '@palanquin/testing/search'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import Type from 'typebox'
import { kill } from './kill.ts'
import { openPhones, type Phones, untilTaken } from './phones.ts'

const PSEUDONYM_SECRET = 'pseudonyms-of-the-phones-test-0123456789'
const madeUpToken = () => newWriteToken(credentialTags('no secret of the stack'))
/** With the right tag: only the table of devices tells that it is none. */
const unknownToken = () => newWriteToken(credentialTags(PSEUDONYM_SECRET))

setDefaultTimeout(TEST_TIMEOUT_MS)
const PAUSE_MS = 50
let stack: ThrowawayStack
let phones: Phones
beforeAll(async () => {
  stack = await startThrowawayStack({ PSEUDONYM_SECRET })
  phones = await openPhones(stack)
})
afterAll(() => stack.close())

const status = async (to: string) =>
  expect((await stack.api.put('/admin/status', { status: to }, stack.api.as('owner'))).status).toBe(200)
/** Until this became of the last that each app sent. */
const reported = (outcome: string) =>
  until(
    async () =>
      Bun.deepEquals(
        await phones.outcomes(),
        PHONE_APPS.map(() => outcome),
      ),
    { what: `every device says ${outcome}` },
  )
/** How many points are stored of each app's person, once all that was taken is. */
const stored = async (): Promise<Record<string, number>> => {
  await stack.api.flush()
  return phones.points()
}
const ofEach = (points: number) => Object.fromEntries(PHONE_APPS.map((app) => [app, points]))

test('a phone with any of the apps walks: its points count for the person, who sees that they arrive', async () => {
  expect((await phones.deviceOf('U-owntracks'))?.problem).toContain('Nothing has arrived')
  for (let i = 0; i < 5; i++) expect(await phones.wrong('taken')).toEqual([])
  await reported('stored')
  await until(async () => (await phones.reportedToday('U-owntracks')) === 5, { what: 'the report' })
  expect(await phones.deviceOf('U-owntracks')).toMatchObject({
    lastOutcome: 'stored',
    pointsToday: 5,
    problem: null,
  })
  expect(await stored()).toEqual(ofEach(5))
  for (const app of PHONE_APPS) expect((await stack.api.profile(`U-${app}`)).distanceKm).toBeGreaterThan(0.4)
})

test('every app learns that its token was revoked, in the way that it understands', async () => {
  const revoked = await Promise.all(PHONE_APPS.map((app) => phones.issue(`U-other-${app}`, app)))
  const tokenOf = (app: PhoneApp) => revoked[PHONE_APPS.indexOf(app)]?.token ?? ''
  expect(await phones.wrong('taken', { token: tokenOf })).toEqual([])
  for (const { deviceId } of revoked) await phones.revoke(deviceId)
  await until(
    async () => (await phones.sendBy('traccar', phones.nextFix(), tokenOf('traccar'))).status === 401,
    { what: 'the revocation' },
  )
  expect(await phones.wrong('unknown', { token: tokenOf, later: true })).toEqual([])
})

test('a pause keeps what phones have, and what they send again afterwards is taken', async () => {
  await status('paused')
  await until(async () => (await phones.sendBy('owntracks')).status === 503, { what: 'the pause' })
  const sent = phones.nextFix()
  expect(await phones.wrong('later', { fix: sent, later: true })).toEqual([])
  await reported('paused')
  await status('active')
  await until(async () => (await phones.sendBy('owntracks', sent)).status === 200, {
    what: 'the phone goes on',
  })
  expect(await phones.wrong('taken', { fix: sent })).toEqual([])
  expect(await stored()).toEqual(ofEach(6))
})

test('what a person who withdrew sends is dropped, for no phone to call for ever; a return needs no new set-up', async () => {
  const change = (to: string) =>
    Promise.all(
      phones.participants.map(({ userId }) => stack.api.post('/participant-status', { userId, status: to })),
    )
  await change('withdrawn')
  expect(await phones.wrong('taken')).toEqual([])
  await reported('withdrawn')
  await change('active')
  expect(await phones.wrong('taken')).toEqual([])
  await reported('stored')
  expect(await stored()).toEqual(ofEach(7))
})

test('a kill -9 of tracking loses no point that an app may forget, and the apps go on by themselves', async () => {
  const restarted = kill(stack, 'tracking')
  const during = phones.nextFix()
  const answers = await phones.sendAll(during)
  await restarted()
  for (const [, { status: answered }] of answers) expect(answered).toBeOneOf([200, 503])
  const again = answers.filter(([, answer]) => answer.status === 503).map(([app]) => app)
  for (const app of again)
    await until(async () => (await phones.sendBy(app, during)).status === 200, { what: `${app} goes on` })
  expect(await phones.wrong('taken')).toEqual([])
  expect(await stored()).toEqual(ofEach(9))
})

test('without Redis the journal takes syncs and the points of every app, and they are stored when it is back', async () => {
  const points = [{ lat: 24, lng: 120.6, recordedAt: Date.now() - 60_000 }]
  stack.redis.suspend()
  try {
    for (let i = 0; i < 3; i++) expect(await phones.wrong('taken')).toEqual([])
    for (let i = 0; i < 3; i++) {
      const { status, body } = await stack.api.post('/track/sync', { userId: 'U-sync', points })
      expect([status, body]).toMatchObject([200, { data: { buffered: 1 } }])
    }
  } finally {
    stack.redis.resume()
  }
  await until(() => stack.api.isReady(), { what: 'Redis' })
  await until(async () => Bun.deepEquals(await stored(), ofEach(12)), { what: 'all points' })
  const rows = await stack.sql`SELECT 1 FROM tracking.all_points WHERE user_id = 'U-sync'`
  expect(rows).toHaveLength(1)
})

test.skipIf(process.platform !== 'linux')(
  'without PostgreSQL known tokens go on; an unknown one is to come again, as it cannot be called wrong',
  async () => {
    const unknown = unknownToken()
    await whilePostgresIsSuspended(stack.home, async () => {
      expect(await phones.wrong('taken')).toEqual([])
      expect(await phones.wrong('later', { token: () => unknown })).toEqual([])
    })
    await until(() => stack.api.isReady(), { what: 'PostgreSQL' })
    await until(async () => Bun.deepEquals(await stored(), ofEach(13)), { what: 'all points' })
  },
)

test('while every service and the gateway restart no phone loses a point, and none is refused for good', async () => {
  const before = await stored()
  const sent = new Map(PHONE_APPS.map((app) => [app, before[app] ?? 0]))
  let restarting = true
  const walk = async (app: PhoneApp) => {
    for (let fix = phones.nextFix(); restarting; await Bun.sleep(PAUSE_MS)) {
      const { status: answered } = await phones.sendBy(app, fix)
      expect(answered).toBeOneOf([200, 503])
      if (answered !== 200) continue
      sent.set(app, (sent.get(app) ?? 0) + 1)
      fix = phones.nextFix()
    }
  }
  const walks = PHONE_APPS.map(walk)
  await rollingRestart(stack.home, { names: ['tracking', GATEWAY], log: () => {} })
  restarting = false
  await Promise.all(walks)
  await until(async () => Bun.deepEquals(await stored(), Object.fromEntries(sent)), {
    what: 'every point, once',
  })
})

test('a revoked token is unknown within seconds, and so are all after an erasure; the old one of a rotation is not', async () => {
  const send = async (token: string) => (await phones.sendBy('owntracks', phones.nextFix(), token)).status
  const first = await phones.issue('U-gone', 'owntracks')
  expect(await send(first.token)).toBe(200)
  const second = await phones.rotate(first.deviceId)
  for (const { token } of [first, second]) expect(await send(token)).toBe(200)
  await phones.revoke(first.deviceId)
  for (const { token } of [first, second])
    await until(async () => (await send(token)) === 401, { what: 'the revocation' })
  const { token } = await phones.issue('U-gone', 'owntracks')
  expect(await send(token)).toBe(200)
  expect((await stack.api.delete('/user/U-gone', stack.api.as('owner'))).status).toBe(200)
  expect(await send(token)).toBe(401)
  await stack.api.flush()
  expect(await searchPostgres(stack.sql, ['U-gone'])).toEqual([])
})

test('over 20,000 points a minute a phone is to come again, and over 60 unknown tokens known ones go on', async () => {
  const { token } = await phones.issue('U-many', 'overland')
  const fix = phones.nextFix()
  const batch = { locations: Array.from({ length: 1_000 }, () => featureOf(fix)) }
  const init = { method: 'POST', headers: { authorization: `Bearer ${token}` }, body: JSON.stringify(batch) }
  const sendBatch = async () => (await phones.send({ path: '/in/overland', init })).status
  expect((await untilTaken(() => phones.sendBy('overland', fix, token))).status).toBe(200)
  // On a slow machine an earlier one may be answered "later".
  let taken = 0
  for (let answered = 200; answered === 200 || taken < 20; ) {
    answered = await sendBatch()
    if (answered === 200) taken++
  }
  for (let lot = 0; lot < 7; lot++) {
    const answers = Array.from({ length: 10 }, () => phones.sendBy('traccar', fix, madeUpToken()))
    for (const answer of await Promise.all(answers)) expect(answer.status).toBe(401)
  }
  expect(await phones.wrong('taken')).toEqual([])
})

test('a person makes at most 30 set-up links a minute, and each opens once', async () => {
  const session = await stack.api.post('/session', { device: true })
  const { userId } = dataOf(Type.Object({ userId: Type.String() }), session)
  const headers = {
    cookie: session.headers.get('set-cookie')?.split(';')[0] ?? '',
    origin: stack.running().url,
  }
  const links = []
  for (let made = 0; made <= 30; made++)
    links.push(await stack.api.post('/setup-links', { userId }, { headers }))
  expect(links.map(({ status }) => status)).toEqual([...Array.from({ length: 30 }, () => 201), 429])
  const { code } = dataOf(Type.Object({ code: Type.String() }), links[0] ?? session)
  const open = (key: string) =>
    stack.api.post('/setup-links/open', { code, key: key.repeat(22), app: 'traccar' })
  const { token } = dataOf(Type.Object({ token: Type.String() }), await open('a'))
  expect((await open('b')).status).toBe(409)
  phones.tokens.push(code, token)
})

test('after the end every app is answered so that it forgets what it has, and nothing more is stored', async () => {
  const before = await stored()
  expect((await stack.api.post('/admin/end-activity', {}, stack.api.as('owner'))).status).toBe(200)
  await until(
    async () => {
      await phones.sendBy('owntracks')
      return (await phones.outcomes()).includes('ended')
    },
    { what: 'the end' },
  )
  expect(await phones.wrong('taken')).toEqual([])
  await reported('ended')
  expect(await phones.points()).toEqual(before)
})

test('OsmAnd was answered right too each time that it had to wait', async () => {
  expect(await phones.wrongAtLast()).toEqual([])
})

test('no file, row, key or metric of the stack holds a write token or a set-up code, though some were in paths', async () => {
  const { tokens } = phones
  expect(tokens.length).toBeGreaterThan(2 * PHONE_APPS.length)
  expect(searchFiles(stack.home.folder, tokens, { except: ['pg', 'redis', 'toolchain'] })).toEqual([])
  expect(await searchRedis(stack.running().redisUrl, tokens)).toEqual([])
  expect(await searchPostgres(stack.sql, tokens)).toEqual([])
  for (const { metricsUrl } of Object.values(stack.running().services)) {
    const metrics = await (await fetch(metricsUrl)).text()
    expect(tokens.filter((token) => metrics.includes(token))).toEqual([])
  }
})
