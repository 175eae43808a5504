import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { HOST_HEADER, USER_HEADER } from '@palanquin/service/http/headers'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { startTestService } from '../../../test/service.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)
let service: Awaited<ReturnType<typeof startTestService>>
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())
beforeEach(async () => {
  await service.sql`truncate engagement.setup_links, engagement.devices, engagement.device_tokens,
    tracking.device_reports, engagement.outbox, engagement.audit`
})

const KEY = 'k'.repeat(22)
const OTHER_KEY = 'o'.repeat(22)
const headers = { [HOST_HEADER]: 'walk.example' }
const make = async (userId = 'U1') => {
  const answer = await service.call('/setup-links', {
    headers: { ...headers, [USER_HEADER]: userId },
    body: { userId, name: '媽媽的手機' },
  })
  expect(answer.status).toBe(201)
  return answer.body.data as { code: string; url: string; expiresAt: string }
}
const open = (code: string, app = 'owntracks', key = KEY) =>
  service.call('/setup-links/open', { headers, body: { code, key, app } })
const status = (code: string, key = KEY) => service.call('/setup-links/status', { body: { code, key } })
const apps = async () =>
  (await service.sql`select app from engagement.devices order by app`).map((d) => d.app)

test('a person makes a link, which has only its code’s hash at rest and issues a token of the chosen app', async () => {
  const { code, url } = await make()
  expect(url).toBe(`https://walk.example/setup/${code}`)
  const [row] = await service.sql`select row_to_json(l)::text as text,
    extract(epoch from expires_at - now())::float8 / 60 as minutes from engagement.setup_links l`
  expect(row?.text).not.toContain(code)
  expect(row?.minutes).toBeCloseTo(15, 0)
  expect((await status(code)).body.data).toEqual({ state: 'open', device: null })
  const opened = await open(code)
  expect(opened.status).toBe(201)
  expect(opened.body.data).toMatchObject({ app: 'owntracks', url: 'https://walk.example/in/owntracks' })
  expect((await status(code)).body.data).toMatchObject({
    state: 'chosen',
    device: { app: 'owntracks', name: '媽媽的手機', lastSeenAt: null },
  })
})

test('only the person and tier 2 make one, the latter on record', async () => {
  const body = { userId: 'U1' }
  expect((await service.call('/setup-links', { body })).status).toBe(401)
  expect((await service.call('/setup-links', { body, tier: 1 })).status).toBe(403)
  expect((await service.call('/setup-links', { body, headers: { [USER_HEADER]: 'U2' } })).status).toBe(403)
  expect((await service.call('/setup-links', { body, tier: 2 })).status).toBe(201)
  expect([...(await service.sql`select type, detail from engagement.audit`)]).toEqual([
    { type: 'setup_link.made', detail: { userId: 'U1' } },
  ])
})

test('another browser can neither choose nor see; the same one may choose again, which revokes the first', async () => {
  const { code } = await make()
  await open(code)
  for (const answer of [await open(code, 'overland', OTHER_KEY), await status(code, OTHER_KEY)])
    expect(answer.status).toBe(409)
  expect((await open(code, 'overland')).status).toBe(201)
  expect(await apps()).toEqual(['overland'])
  expect(await service.sql`select 1 from engagement.outbox where type = 'device.changed'`).toHaveLength(1)
})

test('of five browsers at once one gets a token', async () => {
  const { code } = await make()
  const answers = await Promise.all(
    Array.from({ length: 5 }, (_, n) => open(code, 'colota', String(n).repeat(22))),
  )
  expect(answers.map((answer) => answer.status).toSorted()).toEqual([201, 409, 409, 409, 409])
  expect(await apps()).toEqual(['colota'])
})

test('of five choices of one browser at once one token is left', async () => {
  const { code } = await make()
  const answers = await Promise.all(Array.from({ length: 5 }, () => open(code, 'colota')))
  expect(answers.some((answer) => answer.status === 201)).toBe(true)
  expect(await apps()).toEqual(['colota'])
})

test('an unknown code is 404, one that is over 410, and a day later forgotten; a chosen app is still seen', async () => {
  expect((await open('x'.repeat(22))).status).toBe(404)
  expect((await status('x'.repeat(22))).status).toBe(404)
  const [unused, chosen] = [await make(), await make()]
  await open(chosen.code)
  await service.sql`update engagement.setup_links set expires_at = now()`
  for (const answer of [await open(unused.code), await status(unused.code), await open(chosen.code)])
    expect(answer.status).toBe(410)
  expect((await status(chosen.code)).status).toBe(200)
  await service.sql`update engagement.setup_links set expires_at = now() - interval '25 hours'`
  expect((await status(chosen.code)).status).toBe(404)
  await service.setupLinks.forget()
  expect(await service.sql`select 1 from engagement.setup_links`).toHaveLength(0)
})

test('a device that is revoked is said to be, and an erasure takes the links away', async () => {
  const [first, second] = [await make(), await make()]
  await open(first.code)
  await service.sql`delete from engagement.devices`
  expect((await status(first.code)).body.data).toEqual({ state: 'revoked', device: null })
  expect((await service.call('/user/U1', { method: 'DELETE', tier: 3 })).status).toBe(200)
  expect((await open(second.code)).status).toBe(404)
})
