import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { HOST_HEADER, USER_HEADER } from '@palanquin/service/http/headers'
import { isWriteToken, writeTokenHash } from '@palanquin/service/write-token'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { type Call, startTestService, TAGS } from '../../test/service.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)
type Service = Awaited<ReturnType<typeof startTestService>>
let service: Service
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())
beforeEach(async () => {
  await service.sql`truncate engagement.devices, engagement.device_tokens, tracking.device_reports,
    engagement.outbox, engagement.audit`
})

const as = (userId: string, call: Call = {}): Call => ({
  ...call,
  headers: { [USER_HEADER]: userId, [HOST_HEADER]: 'walk.example', ...call.headers },
})
type Issued = { deviceId: string; token: string; url: string; setup: { link: string } }
const issue = async (userId: string, app = 'overland'): Promise<Issued> => {
  const answer = await service.call('/devices', as(userId, { body: { userId, app } }))
  expect(answer.status).toBe(201)
  return answer.body.data as Issued
}
const list = async (userId: string) => {
  const answer = await service.call('/devices', as(userId))
  return (answer.body.data as { items: Record<string, unknown>[] }).items
}

test('a person gets a token for one app; only its hash is stored, and the link sets the app up', async () => {
  const { token, url, setup, deviceId } = await issue('U1')
  expect(isWriteToken(TAGS, token)).toBe(true)
  expect(url).toBe('https://walk.example/in/overland')
  expect(setup.link).toBe(
    `overland://setup?url=https%3A%2F%2Fwalk.example%2Fin%2Foverland&token=${token}&device_id=phone&unique_id=no`,
  )
  const rows =
    await service.sql`select token_hash from engagement.device_tokens where device_id = ${deviceId}`
  expect(rows[0]?.token_hash).toBe(writeTokenHash(token))
  const [dump] = await service.sql`select (select jsonb_agg(d) from engagement.devices d)::text
    || (select jsonb_agg(o) from engagement.outbox o)::text as text`
  expect(dump?.text).not.toContain(token)
})

test('it is never an open call, and never for another person; an administrator issues for anybody, on record', async () => {
  const body = { userId: 'U1', app: 'owntracks' }
  expect((await service.call('/devices', { body })).status).toBe(401)
  expect((await service.call('/devices', { body, tier: 1 })).status).toBe(403)
  expect((await service.call('/devices', as('U2', { body }))).status).toBe(403)
  expect((await service.call('/devices', { body, tier: 2 })).status).toBe(201)
  const audit = await service.sql`select type, detail from engagement.audit`
  expect([...audit]).toEqual([{ type: 'device.issued', detail: { userId: 'U1', app: 'owntracks' } }])
  expect((await service.call('/devices', { tier: 2 })).status).toBe(400)
  expect((await service.call('/devices?userId=U1', { tier: 2 })).status).toBe(200)
  expect((await service.call('/devices?userId=U1', as('U2'))).status).toBe(403)
})

test('an app that is none, and a name that is too long, are refused', async () => {
  for (const wrong of [{ app: 'facebook' }, { app: 'overland', name: 'x'.repeat(41) }, {}])
    expect((await service.call('/devices', as('U1', { body: { userId: 'U1', ...wrong } }))).status).toBe(400)
})

test('of twelve calls at once ten make a device, and the others are 409', async () => {
  const statuses = await Promise.all(
    Array.from({ length: 12 }, async () => {
      const answer = await service.call('/devices', as('U1', { body: { userId: 'U1', app: 'colota' } }))
      return answer.status
    }),
  )
  expect(statuses.toSorted()).toEqual([...Array(10).fill(201), 409, 409])
  expect(await list('U1')).toHaveLength(10)
  expect(await list('U2')).toHaveLength(0)
})

test('a rotated token stays good for a day beside the new one, and tracking is notified', async () => {
  const { deviceId, token } = await issue('U1')
  expect((await service.call(`/devices/${deviceId}/rotate`, as('U2', { method: 'POST' }))).status).toBe(404)
  const answer = await service.call(`/devices/${deviceId}/rotate`, as('U1', { method: 'POST' }))
  const next = answer.body.data as Issued
  expect(next.token).not.toBe(token)
  const tokens = await service.sql`select token_hash as hash,
    extract(epoch from expires_at - now())::float8 / 3600 as hours from engagement.device_tokens`
  const hours = new Map(tokens.map((row) => [row.hash, row.hours]))
  expect(hours.get(writeTokenHash(next.token))).toBeNull()
  expect(hours.get(writeTokenHash(token))).toBeCloseTo(24, 1)
  expect((await list('U1'))[0]?.oldTokenUntil).toBeString()
  const events = await service.sql`select data from engagement.outbox where type = 'device.changed'`
  expect([...events]).toEqual([{ data: { deviceId } }])
})

test('a revoked device is gone with its tokens; another person cannot revoke it', async () => {
  const { deviceId } = await issue('U1')
  expect((await service.call(`/devices/${deviceId}`, as('U2', { method: 'DELETE' }))).status).toBe(404)
  expect((await service.call(`/devices/${deviceId}`, as('U1', { method: 'DELETE' }))).status).toBe(200)
  expect((await service.call(`/devices/${deviceId}`, as('U1', { method: 'DELETE' }))).status).toBe(404)
  expect(await service.sql`select 1 from engagement.device_tokens`).toHaveLength(0)
  expect(await service.sql`select 1 from engagement.outbox where type = 'device.changed'`).toHaveLength(1)
})

test('the list says what last arrived, and what is wrong', async () => {
  const { deviceId } = await issue('U1')
  expect((await list('U1'))[0]).toMatchObject({
    deviceId,
    app: 'overland',
    lastSeenAt: null,
    lastOutcome: null,
    pointsToday: 0,
    problem: expect.stringContaining('Nothing has arrived'),
  })
  const today = async () => {
    const [row] = await service.sql`select (now() at time zone 'Asia/Taipei')::date::text as day`
    return String(row?.day)
  }
  const reported = async () => {
    const day = await today()
    await service.sql`truncate tracking.device_reports`
    await service.sql`insert into tracking.device_reports
      (device_id, user_id, seen_at, last_point_at, outcome, by_hand, battery, day, points_of_day)
      values (${deviceId}, 'U1', '2026-05-09T11:59:00Z', '2026-05-09T11:58:00Z', 'stored', false, 64, ${day}, 12)`
    const [device] = await list('U1')
    return day === (await today()) && device
  }
  expect(await until(reported, { what: 'a report of today, not over midnight' })).toMatchObject({
    lastPointAt: '2026-05-09T11:58:00.000Z',
    lastOutcome: 'stored',
    pointsToday: 12,
    battery: 64,
    problem: null,
  })
  await service.sql`update tracking.device_reports set by_hand = true, day = day - 1`
  expect((await list('U1'))[0]).toMatchObject({
    pointsToday: 0,
    problem: expect.stringContaining('While Using'),
  })
})

test('an erasure revokes the devices before anything else', async () => {
  const { deviceId } = await issue('U1')
  const other = await issue('U2')
  const answer = await service.call('/user/U1', { method: 'DELETE', tier: 3 })
  expect(answer.status).toBe(200)
  expect(answer.body.data).toMatchObject({ erased: { devices: 1 } })
  const left = await service.sql`select device_id from engagement.devices`
  expect([...left]).toEqual([{ device_id: other.deviceId }])
  const events = await service.sql`select data from engagement.outbox where type = 'device.changed'`
  expect([...events]).toEqual([{ data: { deviceId } }])
})

test('devices that were not used for 60 days after the end are deleted, those in use stay', async () => {
  const unused = await issue('U1')
  const used = await issue('U1')
  await service.sql`update engagement.devices set created_at = now() - interval '80 days'`
  await service.sql`insert into tracking.device_reports (device_id, user_id, seen_at, outcome, by_hand, day, points_of_day)
    values (${used.deviceId}, 'U1', now() - interval '59 days', 'ended', false, now(), 0)`
  await service.devices.forget()
  expect(await list('U1')).toHaveLength(2)
  await service.sql`update engagement.activity set status = 'ended', since = now() - interval '61 days'`
  await service.devices.forget()
  const left = await service.sql`select device_id from engagement.devices`
  expect([...left]).toEqual([{ device_id: used.deviceId }])
  expect(unused.deviceId).not.toBe(used.deviceId)
  await service.sql`update engagement.activity set status = 'active', since = now()`
})
