import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { dataOf } from '@palanquin/stack/api'
import { startThrowawayStack, type ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { searchFiles, searchPostgres, searchRedis } from '@palanquin/testing/search'
import { until } from '@palanquin/testing/until'
import Type from 'typebox'
import { kill } from './kill.ts'

let stack: ThrowawayStack
beforeAll(async () => {
  stack = await startThrowawayStack({})
})
afterAll(() => stack.close())

const Issued = Type.Object({ deviceId: Type.String(), token: Type.String(), url: Type.String() })
const Listed = Type.Object({
  items: Type.Array(
    Type.Object({
      deviceId: Type.String(),
      lastOutcome: Type.Union([Type.String(), Type.Null()]),
      problem: Type.Union([Type.String(), Type.Null()]),
      pointsToday: Type.Integer(),
    }),
  ),
})
const tokens: string[] = []
const issue = async (userId: string, app: string) => {
  const issued = dataOf(Issued, await stack.api.post('/devices', { userId, app }, stack.api.as('manager')))
  tokens.push(issued.token)
  return issued
}
const deviceOf = async (userId: string) =>
  dataOf(Listed, await stack.api.get(`/devices?userId=${userId}`, stack.api.as('manager'))).items[0]

/** A request as the app itself sends it. */
const send = async (path: string, init: RequestInit = {}) => {
  const { url, caFile } = stack.running()
  const ca = readFileSync(caFile, 'utf8')
  const answer = await fetch(url + path, { redirect: 'manual', ...init, tls: { ca } })
  return { status: answer.status, text: await answer.text() }
}
let sent = 0
/** Another place a minute each time, with the token as OwnTracks sends it. */
const owntracks = (token: string) =>
  send('/in/owntracks', {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`jane:${token}`)}` },
    body: JSON.stringify({
      ...{ _type: 'location', lat: 24 + ++sent / 1_000, lon: 120.6, acc: 8, vel: 4, batt: 61 },
      tst: Math.floor(Date.now() / 1_000) - 86_400 + sent * 60,
    }),
  })
const points = async (userId: string) =>
  (await stack.sql`SELECT source, speed FROM tracking.points WHERE user_id = ${userId}`).length

test('a phone that is set up walks: its points count for the person, who sees that they arrive', async () => {
  const { token } = await issue('U-pilgrim', 'owntracks')
  expect((await deviceOf('U-pilgrim'))?.problem).toContain('Nothing has arrived')
  for (let i = 0; i < 5; i++) expect(await owntracks(token)).toEqual({ status: 200, text: '[]' })
  await until(async () => (await deviceOf('U-pilgrim'))?.pointsToday === 5, { what: 'the report' })
  expect(await deviceOf('U-pilgrim')).toMatchObject({ lastOutcome: 'stored', problem: null })
  await stack.api.flush()
  expect(await points('U-pilgrim')).toBe(5)
  expect((await stack.api.profile('U-pilgrim')).distanceKm).toBeGreaterThan(0.4)
})

test('a pause keeps what phones have, a kill -9 of tracking loses nothing, and the phone goes on by itself', async () => {
  const { token } = await issue('U-pause', 'owntracks')
  const status = (to: string) => stack.api.put('/admin/status', { status: to }, stack.api.as('owner'))
  expect((await owntracks(token)).status).toBe(200)
  await status('paused')
  await until(async () => (await owntracks(token)).status === 503, { what: 'the pause' })
  await status('active')
  await until(async () => (await owntracks(token)).status === 200, { what: 'the phone goes on' })
  const restarted = kill(stack, 'tracking')
  const during = await owntracks(token)
  expect([200, 503]).toContain(during.status)
  await restarted()
  await until(async () => (await owntracks(token)).status === 200, { what: 'tracking is back' })
  await stack.api.flush()
  expect(await points('U-pause')).toBeGreaterThanOrEqual(3)
})

test('without Redis points are taken by the journal, and stored when it is back', async () => {
  const { token } = await issue('U-redis', 'owntracks')
  expect((await owntracks(token)).status).toBe(200)
  stack.redis.suspend()
  try {
    expect(await owntracks(token)).toEqual({ status: 200, text: '[]' })
  } finally {
    stack.redis.resume()
  }
  await until(async () => (await stack.api.get('/ready')).status !== 503, { what: 'Redis' })
  await until(
    async () => {
      await stack.api.flush()
      return (await points('U-redis')) === 2
    },
    { what: 'both points' },
  )
})

test('a revoked token is unknown within seconds, and so are all after an erasure; the old one of a rotation is not', async () => {
  const first = await issue('U-gone', 'owntracks')
  expect((await owntracks(first.token)).status).toBe(200)
  const rotated = await stack.api.post(`/devices/${first.deviceId}/rotate`, {}, stack.api.as('manager'))
  const second = dataOf(Issued, rotated)
  tokens.push(second.token)
  for (const { token } of [first, second]) expect((await owntracks(token)).status).toBe(200)
  await stack.api.delete(`/devices/${first.deviceId}`, stack.api.as('manager'))
  for (const { token } of [first, second])
    await until(async () => (await owntracks(token)).status === 401, { what: 'the revocation' })
  const { token } = await issue('U-gone', 'owntracks')
  expect((await owntracks(token)).status).toBe(200)
  expect((await stack.api.delete('/user/U-gone', stack.api.as('owner'))).status).toBe(200)
  expect((await owntracks(token)).status).toBe(401)
  await stack.api.flush()
  expect(await points('U-gone')).toBe(0)
  expect(await searchPostgres(stack.sql, ['U-gone'])).toEqual([])
})

test('after the end every app is told to forget what it has', async () => {
  const { token } = await issue('U-late', 'traccar')
  const { token: other } = await issue('U-late', 'overland')
  await stack.api.post('/admin/end-activity', {}, stack.api.as('owner'))
  const fix = `lat=24.1&lon=120.6&timestamp=${Math.floor(Date.now() / 1_000)}`
  expect(await send(`/in/traccar/${token}?${fix}`)).toEqual({ status: 200, text: '' })
  const feature = {
    ...{ type: 'Feature', geometry: { type: 'Point', coordinates: [120.6, 24.1] } },
    properties: { timestamp: new Date().toISOString() },
  }
  const batch = { method: 'POST', body: JSON.stringify({ locations: [feature] }) }
  expect(await send(`/in/overland/${other}`, batch)).toEqual({ status: 200, text: '{"result":"ok"}' })
  expect(await points('U-late')).toBe(0)
})

test('no file, row or key of the stack holds a write token, though some were in paths', async () => {
  expect(tokens.length).toBeGreaterThan(6)
  expect(searchFiles(stack.home.folder, tokens, { except: ['pg', 'redis', 'toolchain'] })).toEqual([])
  expect(await searchRedis(stack.running().redisUrl, tokens)).toEqual([])
  expect(await searchPostgres(stack.sql, tokens)).toEqual([])
})
