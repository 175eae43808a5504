import { afterAll, beforeAll, expect, describe as group, test } from 'bun:test'
import { type LineStub, testLine } from '@palanquin/line-simulator/stub'
import { until } from '@palanquin/testing/until'
import Type from 'typebox'
import Value from 'typebox/value'
import { type GatewayInstance, json, TOKENS } from '../test/gateway.ts'
import { cookieFrom, type SignedIn, signIn } from '../test/sign-in.ts'
import { COUNTED_TOGETHER, useGateway } from '../test/use-gateway.ts'

const line: LineStub = testLine()
afterAll(() => line.close())
const SESSION_AUTH = { ...line.environment, USER_AUTH: 'session' }

const deployment = useGateway({ env: { ...SESSION_AUTH, RATE_LIMITS: 'off' } })
let second: GatewayInstance
let limited: GatewayInstance
beforeAll(async () => {
  second = await deployment.addGateway({ env: { ...SESSION_AUTH, RATE_LIMITS: 'off' } })
  limited = await deployment.addGateway({ ...COUNTED_TOGETHER, env: { ...SESSION_AUTH, SESSION_LIMIT: '5' } })
})

const Answer = Type.Object({ data: Type.Object({ ended: Type.Integer(), recoveryCode: Type.String() }) })

const ME = `U${'a'.repeat(32)}`
const liff = (userId = ME, order = {}) => ({ liffIdToken: line.control.idTokens.issue({ userId, ...order }) })
const store = () => deployment.services.engagement.sessions
const session = async (headers: Record<string, string>, gateway = deployment.gateway) =>
  gateway.call('/api/event/session', { headers })
const signOut = (who: SignedIn, query = '', headers: Record<string, string> = who.asPage) =>
  deployment.gateway.call(`/api/event/session${query}`, { method: 'DELETE', headers })
const checkIn = (who: SignedIn, gateway = deployment.gateway) =>
  gateway.call('/api/event/checkin', json({ userId: who.userId }, { ...who.asPage, origin: gateway.url }))

group('signing in', () => {
  test('as a device makes a participant, with a cookie that no script and no other site can read', async () => {
    const answer = await deployment.gateway.call('/api/event/session', json({ device: true }))
    expect(answer.status).toBe(201)
    expect(await answer.json()).toEqual({
      ok: true,
      data: {
        userId: expect.stringMatching(/^w_[A-Za-z0-9]{22}$/),
        kind: 'device',
        expiresAt: expect.stringMatching(/Z$/),
        recoveryCode: expect.stringMatching(/^([0-9A-HJKMNP-TV-Z]{5}-){3}[0-9A-HJKMNP-TV-Z]{5}$/),
      },
    })
    expect(answer.headers.get('set-cookie')).toMatch(
      /^__Host-session=[A-Za-z0-9_-]{49}; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=(2592000|259199\d)$/,
    )
    expect(answer.headers.get('cache-control')).toBe('no-store')
  })

  test('with a LIFF ID token is being that person, by whatever spelling', async () => {
    const who = await signIn(deployment.gateway, liff())
    expect(who.body).toEqual({ userId: ME, kind: 'line', expiresAt: expect.any(String) })
    const { liffIdToken: liff_id_token } = liff()
    expect((await signIn(deployment.gateway, { liff_id_token })).userId).toBe(ME)
  })

  test.each([
    ['an expired ID token', () => liff(ME, { lifetimeS: -1 }), 401],
    ['an altered ID token', () => liff(ME, { as: 'altered' }), 401],
    ['an ID token of another channel', () => liff(ME, { audience: '1656999999' }), 401],
    ['a made-up recovery code', () => ({ recoveryCode: '00000-00000-00000-00000' }), 401],
    ['nonsense for a recovery code', () => ({ recoveryCode: 'please' }), 401],
    ['a wrong admin token', () => ({ adminToken: 'wrong' }), 401],
    ['nothing', () => ({}), 400],
    ['device: false', () => ({ device: false }), 400],
    ['two ways at once', () => ({ device: true, adminToken: TOKENS.owner }), 400],
    ['a code without its verifier', () => ({ code: 'x' }), 400],
    ['a userId of one’s choice', () => ({ userId: ME }), 400],
    ['a number for a token', () => ({ liffIdToken: 7 }), 400],
  ] as const)('with %s is refused, and sets no cookie', async (_, body, status) => {
    const answer = await deployment.gateway.call('/api/event/session', json(body()))
    expect([answer.status, answer.headers.get('set-cookie')]).toEqual([status, null])
  })

  test('by a page of another site is refused, so that a victim is not signed in as the attacker', async () => {
    for (const origin of ['https://evil.example', 'null', 'https://localhost:1', 'http://localhost']) {
      const answer = await deployment.gateway.call('/api/event/session', json({ device: true }, { origin }))
      expect([answer.status, answer.headers.get('set-cookie')]).toEqual([403, null])
    }
    await signIn(deployment.gateway, { device: true }, { origin: deployment.gateway.url })
  })

  test('never adopts a token that the browser brought (fixation), and ends the session that it had', async () => {
    const planted = `__Host-session=${'P'.repeat(43)}`
    const first = await signIn(deployment.gateway, { device: true }, { cookie: planted })
    expect(first.cookie).not.toBe(planted)
    expect((await session({ cookie: planted })).status).toBe(204)
    const next = await signIn(deployment.gateway, liff(), first.asPage)
    expect([(await session(first.asPage)).status, (await session(next.asPage)).status]).toEqual([204, 200])
  })

  test('stores and sends only hashes of tokens and codes', async () => {
    const who = await signIn(deployment.gateway, { device: true })
    const secrets = [who.cookie.split('=')[1] ?? '?', who.recoveryCode ?? '?']
    await checkIn(who)
    const seen = [...store().received, JSON.stringify(deployment.calls().map(({ headers }) => [...headers]))]
    expect(seen.join()).toContain(who.hash)
    for (const secret of secrets) {
      expect(seen.join()).not.toContain(secret)
      expect(seen.join()).not.toContain(secret.replaceAll('-', ''))
    }
  })
})

group('the own sessions', () => {
  const list = async (headers: Record<string, string>) => {
    const answer = await deployment.gateway.call('/api/event/sessions', { headers })
    return { status: answer.status, text: await answer.text() }
  }
  const end = (id: string, headers: Record<string, string>) =>
    deployment.gateway.call(`/api/event/sessions/${id}`, { method: 'DELETE', headers })
  type Items = { id: string; current: boolean }[]
  const itemsOf = async (who: SignedIn): Promise<Items> =>
    JSON.parse((await list(who.asPage)).text).data.items

  test('are listed without what opens them, and each is ended by itself', async () => {
    const [here, there] = [await signIn(deployment.gateway, liff()), await signIn(deployment.gateway, liff())]
    const stranger = await signIn(deployment.gateway, { device: true })
    const { status, text } = await list(here.asPage)
    expect(status).toBe(200)
    for (const { cookie, hash } of [here, there]) {
      expect(text).not.toContain(hash)
      expect(text).not.toContain(cookie.split('=')[1] ?? '?')
    }
    const items = await itemsOf(here)
    expect(items.filter(({ current }) => current)).toHaveLength(1)
    const id = (await itemsOf(there)).find(({ current }) => current)?.id ?? '?'
    expect((await end(id, stranger.asPage)).status).toBe(404)
    expect((await session(there.asPage)).status).toBe(200)
    const ended = await end(id, here.asPage)
    expect([ended.status, await ended.json()]).toEqual([200, { ok: true, data: { ended: true } }])
    expect(ended.headers.get('set-cookie')).toBeNull()
    expect((await session(there.asPage)).status).toBe(204)
    expect((await end(id, here.asPage)).status).toBe(404)
    const own = items.find(({ current }) => current)?.id ?? '?'
    expect(cookieFrom(await end(own, here.asPage))).toBe('')
    expect((await list(here.asPage)).status).toBe(401)
  })

  test('need a session or an ID token, and a page of ours to end one', async () => {
    const who = await signIn(deployment.gateway, { device: true })
    const [{ id } = { id: '?' }] = await itemsOf(who)
    expect((await list({})).status).toBe(401)
    expect((await end(id, {})).status).toBe(401)
    expect((await end(id, { cookie: who.cookie })).status).toBe(403)
    expect((await end(id, { cookie: who.cookie, origin: 'https://evil.example' })).status).toBe(403)
    expect((await list({ authorization: `Bearer ${liff(who.userId).liffIdToken}` })).status).toBe(200)
    expect((await list({ 'x-admin-token': TOKENS.owner })).status).toBe(401)
  })
})

group('a session', () => {
  test('opens the own data by @me, so that no id is in an address; unauthenticated callers and other paths have none', async () => {
    const [who, other] = [
      await signIn(deployment.gateway, { device: true }),
      await signIn(deployment.gateway, liff()),
    ]
    const call = (path: string, method: string, headers: Record<string, string>) =>
      deployment.gateway.call(`/api/event${path}`, { method, headers })
    for (const { userId, asPage } of [who, other]) {
      deployment.reset()
      expect((await call('/user/@me', 'GET', asPage)).status).toBe(200)
      expect((await call('/user/@me/track', 'GET', asPage)).status).toBe(200)
      const seen = deployment.calls().map(({ target, body }) => target + body)
      expect(seen.filter((one) => one.includes(userId) && !one.includes('/internal/sessions'))).toHaveLength(
        2,
      )
    }
    for (const headers of [{}, { cookie: `__Host-session=${'P'.repeat(43)}` }])
      for (const path of ['/user/@me', '/user/@me/track', '/user/@me/export'])
        expect((await call(path, 'GET', headers)).status).toBe(401)
    expect(
      (await call('/user/@me', 'DELETE', { ...who.asPage, origin: 'https://evil.example' })).status,
    ).toBe(403)
    expect((await call('/user/@me', 'DELETE', {})).status).toBe(401)
    for (const path of ['/user/@you', '/og/@me.png', '/admin/users/@me/track', '/beacons/@me/trail'])
      expect((await call(path, 'GET', who.asPage)).status).toBe(404)
  })

  test('says who one is, and renews its cookie; without one the answer is 204', async () => {
    const who = await signIn(deployment.gateway, { device: true })
    const answer = await session(who.asPage)
    expect([answer.status, cookieFrom(answer)]).toEqual([200, who.cookie])
    expect(await answer.json()).toMatchObject({ data: { userId: who.userId, kind: 'device' } })
    const signedOut = await session({})
    expect([signedOut.status, await signedOut.text(), signedOut.headers.get('set-cookie')]).toEqual([
      204,
      '',
      null,
    ])
    // Another tab may have signed in meanwhile: a removal would hit its session.
    const stale = await session({ cookie: `__Host-session=${'A'.repeat(43)}` })
    expect([stale.status, stale.headers.get('set-cookie')]).toEqual([204, null])
  })

  test('is looked up once for any number of check-ins', async () => {
    const who = await signIn(deployment.gateway, { device: true })
    await checkIn(who)
    const before = store().lookups
    for (let i = 0; i < 10; i++) expect((await checkIn(who)).status).toBe(200)
    expect(store().lookups).toBe(before)
  })

  test('goes on while sessions cannot be looked up; one that this gateway never saw is a 503', async () => {
    const known = await signIn(deployment.gateway, { device: true })
    const unknown = await signIn(second, { device: true })
    await checkIn(known)
    store().isAway = true
    expect((await checkIn(known)).status).toBe(200)
    const answer = await checkIn(unknown)
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5'])
    expect((await session(unknown.asPage)).status).toBe(503)
    expect((await deployment.gateway.call('/api/event/session', json({ device: true }))).status).toBe(503)
    store().isAway = false
    await until(async () => (await checkIn(unknown)).status === 200, { what: 'the session is known again' })
  })

  test('that was ended while this gateway could not know is refused once it can', async () => {
    const who = await signIn(deployment.gateway, { device: true })
    await checkIn(who)
    store().isAway = true
    store().change(who.hash, { isOver: true })
    expect((await checkIn(who)).status).toBe(200)
    store().isAway = false
    await until(async () => (await checkIn(who)).status === 401, { what: 'the session is refused' })
  })

  test('that has expired is refused at that second, although it is known', async () => {
    const who = await signIn(deployment.gateway, { device: true })
    store().change(who.hash, { expiresAt: new Date(Date.now() + 400).toISOString() })
    await until(async () => (await checkIn(who)).status === 401, { what: 'the session has expired' })
    expect((await session(who.asPage)).status).toBe(204)
  })
})

group('signing out', () => {
  test('ends the session here, for every gateway, and removes the cookie', async () => {
    const who = await signIn(deployment.gateway, { device: true })
    expect([(await checkIn(who)).status, (await checkIn(who, second)).status]).toEqual([200, 200])
    const answer = await signOut(who)
    expect([answer.status, cookieFrom(answer), await answer.json()]).toEqual([
      200,
      '',
      { ok: true, data: { ended: 1 } },
    ])
    expect((await checkIn(who)).status).toBe(401)
    await until(async () => (await checkIn(who, second)).status === 401, { what: 'the other gateway knows' })
  })

  test('everywhere ends every session of the person, and no other’s', async () => {
    const [one, two] = [await signIn(deployment.gateway, liff()), await signIn(second, liff())]
    const other = await signIn(deployment.gateway, { device: true })
    expect((await checkIn(two, second)).status).toBe(200)
    const answer = await signOut(one, '?all=true')
    expect([answer.status, await answer.json()]).toEqual([
      200,
      { ok: true, data: { ended: expect.any(Number) } },
    ])
    await until(async () => (await checkIn(two, second)).status === 401, { what: 'the other session ended' })
    expect((await checkIn(other)).status).toBe(200)
  })

  test('everywhere gives a device’s participant another recovery code, and the one before is void', async () => {
    const who = await signIn(deployment.gateway, { device: true })
    const answer = await signOut(who, '?all=true')
    const body = Value.Parse(Answer, await answer.json())
    expect(body.data.ended).toBe(1)
    const before = json({ recoveryCode: who.recoveryCode })
    expect((await deployment.gateway.call('/api/event/session', before)).status).toBe(401)
    expect((await signIn(second, { recoveryCode: body.data.recoveryCode })).userId).toBe(who.userId)
  })

  test('needs a page of ours, and nothing where no session is', async () => {
    const who = await signIn(deployment.gateway, { device: true })
    for (const headers of [{ cookie: who.cookie }, { cookie: who.cookie, origin: 'https://evil.example' }])
      expect((await signOut(who, '?all=true', headers)).status).toBe(403)
    expect((await session(who.asPage)).status).toBe(200)
    expect((await signOut(who, '', {})).status).toBe(200)
  })

  test('cannot be done while sessions cannot be stored: the cookie stays', async () => {
    const who = await signIn(deployment.gateway, { device: true })
    await checkIn(who)
    store().isAway = true
    const answer = await signOut(who)
    expect([answer.status, answer.headers.get('set-cookie')]).toEqual([503, null])
  })
})

group('a recovery code', () => {
  test('moves the walk to another phone, once, and gives the next', async () => {
    const first = await signIn(deployment.gateway, { device: true })
    const typed = ` ${first.recoveryCode?.toLowerCase().replaceAll('-', ' ').replaceAll('0', 'o')} `
    const moved = await signIn(deployment.gateway, { recoveryCode: typed })
    expect([moved.userId, moved.body.kind]).toEqual([first.userId, 'device'])
    expect(moved.recoveryCode).not.toBe(first.recoveryCode)
    const again = json({ recoveryCode: first.recoveryCode })
    expect((await deployment.gateway.call('/api/event/session', again)).status).toBe(401)
    expect((await checkIn(first)).status).toBe(200)
    expect((await signIn(second, { recoveryCode: moved.recoveryCode })).userId).toBe(first.userId)
  })
})

group('an answer to a recovery code that was lost on the way', () => {
  test('comes again for the attempt that asked, and for no other who has the code', async () => {
    const { recoveryCode, userId } = await signIn(deployment.gateway, { device: true })
    const attempt = crypto.randomUUID()
    const lost = await signIn(deployment.gateway, { recoveryCode, attempt })
    const refused = [{ recoveryCode }, { recoveryCode, attempt: crypto.randomUUID() }]
    for (const body of refused)
      expect((await deployment.gateway.call('/api/event/session', json(body))).status).toBe(401)
    const again = await signIn(second, { recoveryCode, attempt })
    expect(again.userId).toBe(userId)
    expect(again.recoveryCode).not.toBe(lost.recoveryCode)
    expect(store().received.join()).not.toContain(attempt)
  })

  test('to a join comes again for its attempt, with the same participant and another code', async () => {
    const attempt = crypto.randomUUID()
    const lost = await signIn(deployment.gateway, { device: true, attempt })
    const again = await signIn(second, { attempt })
    expect([again.userId, again.recoveryCode === lost.recoveryCode]).toEqual([lost.userId, false])
    // The same call once more, as of a page that does not know whether it has joined.
    expect((await signIn(second, { device: true, attempt })).userId).toBe(lost.userId)
    const unknown = await deployment.gateway.call(
      '/api/event/session',
      json({ attempt: crypto.randomUUID() }),
    )
    expect(unknown.status).toBe(401)
    expect(store().received.join()).not.toContain(attempt)
  })

  test.each(['', '1', 'x'.repeat(129), 'spaces are no part of it', 7])(
    'needs an attempt that cannot be guessed, not %p',
    async (attempt) => {
      const { recoveryCode } = await signIn(deployment.gateway, { device: true })
      const answer = await deployment.gateway.call('/api/event/session', json({ recoveryCode, attempt }))
      expect(answer.status).toBe(400)
      expect((await signIn(deployment.gateway, { recoveryCode })).recoveryCode).toBeString()
    },
  )
})

group('joining a device to a LINE id', () => {
  const join = (who: Partial<SignedIn>, body: object, headers = who.asPage ?? {}) =>
    deployment.gateway.call('/api/event/session/link', json(body, headers))

  test('takes the session of the one and the ID token of the other, and gives a new session', async () => {
    const device = await signIn(deployment.gateway, { device: true })
    const answer = await join(device, liff())
    expect([answer.status, await answer.json()]).toEqual([
      200,
      { ok: true, data: { userId: ME, kind: 'line', expiresAt: expect.any(String), complete: true } },
    ])
    expect((await session({ cookie: cookieFrom(answer) ?? '' })).status).toBe(200)
    expect((await session(device.asPage)).status).toBe(204)
  })

  test('is refused without either of them, from another site, or with anything else', async () => {
    const device = await signIn(deployment.gateway, { device: true })
    const person = await signIn(deployment.gateway, liff())
    for (const [who, body, headers, status] of [
      [{}, liff(), undefined, 401],
      [device, liff(), { cookie: device.cookie }, 403],
      [device, liff(), { cookie: device.cookie, origin: 'https://evil.example' }, 403],
      [device, liff(ME, { as: 'altered' }), undefined, 401],
      [device, { recoveryCode: device.recoveryCode }, undefined, 409],
      [device, { adminToken: TOKENS.owner }, undefined, 400],
      [device, { device: true }, undefined, 400],
      [device, {}, undefined, 400],
      [person, liff(), undefined, 409],
      [person, { recoveryCode: 'nonsense' }, undefined, 401],
    ] as const)
      expect([body, (await join(who, body, headers)).status]).toEqual([body, status])
    expect((await session(device.asPage)).status).toBe(200)
  })
})

group('per address', () => {
  test('only so many new devices and failed proofs come in an hour, and whoever proves themselves always may', async () => {
    const codeOf = async (answer: Response): Promise<string> =>
      JSON.parse(await answer.text()).data.recoveryCode
    const signInHere = (body: object) => limited.call('/api/event/session', json(body))
    const first = await signInHere({ device: true })
    expect([first.status, first.headers.get('ratelimit-remaining')]).toEqual([201, '4'])
    for (let i = 0; i < 8; i++) expect((await signInHere(liff())).status).toBe(201)
    let recoveryCode = await codeOf(first)
    for (let i = 0; i < 8; i++) {
      const moved = await signInHere({ recoveryCode })
      expect(moved.status).toBe(201)
      recoveryCode = await codeOf(moved)
    }
    for (let i = 0; i < 3; i++) expect((await signInHere({ device: true })).status).toBe(201)
    expect((await signInHere({ recoveryCode: '00000-00000-00000-00000' })).status).toBe(401)
    for (const body of [{ device: true }, { recoveryCode: '00000-00000-00000-00000' }]) {
      const answer = await signInHere(body)
      expect([answer.status, answer.headers.get('ratelimit-limit')]).toEqual([429, '5'])
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(3_000)
    }
    expect((await signInHere({ recoveryCode })).status).toBe(201)
  })

  test('made-up sessions are guesses: none is looked up, and a right one is never refused for them', async () => {
    const who = await signIn(deployment.gateway, { device: true })
    const over = await signIn(deployment.gateway, { device: true })
    await signOut(over)
    expect((await checkIn(who, limited)).status).toBe(200)
    const guess = async (cookie: string) =>
      (await limited.call('/api/event/session', { headers: { cookie } })).status
    for (let i = 0; i < 70; i++) expect(await guess(over.cookie)).toBe(204)
    const guesses: number[] = []
    const looked = store().lookups
    for (let i = 0; i < 70; i++) guesses.push(await guess(`__Host-session=${String(i).padStart(49, 'A')}`))
    expect(store().lookups).toBe(looked)
    expect(guesses.filter((status) => status === 204)).toHaveLength(60)
    expect(guesses.filter((status) => status === 429)).toHaveLength(10)
    const other = await signIn(deployment.gateway, { device: true })
    expect((await session(other.asPage, limited)).status).toBe(200)
    expect((await checkIn(who, limited)).status).toBe(200)
  })
})
