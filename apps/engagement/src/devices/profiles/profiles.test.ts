import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { HOST_HEADER, USER_HEADER } from '@palanquin/service/http/headers'
import { writeTokenHash } from '@palanquin/service/write-token'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { startTestService } from '../../../test/service.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)
let service: Awaited<ReturnType<typeof startTestService>>
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

type Issued = { deviceId: string; token: string; setup: { link?: string } }
const headers = { [HOST_HEADER]: 'walk.example' }
const own = { ...headers, [USER_HEADER]: 'U1' }
const issue = async (app: string): Promise<Issued> => {
  const answer = await service.call('/devices', { headers: own, body: { userId: 'U1', app } })
  expect(answer.status).toBe(201)
  return answer.body.data as Issued
}
/** The path that GPSLogger fetches, as it takes it out of its link. */
const pathOf = ({ setup: { link = '' } }: Issued): string => {
  expect(link).toStartWith('gpslogger://properties/https://walk.example/in/gpslogger/setup/')
  return link.slice('gpslogger://properties/https://walk.example'.length)
}
const fetchProfile = (path: string) => service.respond(path, { headers })

test('GPSLogger fetches its settings once, with a token of their own that is as good as the one on the page', async () => {
  const device = await issue('gpslogger')
  const path = pathOf(device)
  const answer = await fetchProfile(path)
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
  const content = await answer.text()
  const [, token = ''] =
    /^log_customurl_url=https:\/\/walk\.example\/in\/gpslogger\/(plq\w{29})\?lat=%LAT&/m.exec(content) ?? []
  expect(token).not.toBe(device.token)
  const tokens = await service.sql`select token_hash as hash, expires_at from engagement.device_tokens
    where device_id = ${device.deviceId}`
  expect(new Map(tokens.map((row) => [row.hash, row.expires_at]))).toEqual(
    new Map([device.token, token].map((one) => [writeTokenHash(one), null])),
  )
  expect((await fetchProfile(path)).status).toBe(404)
})

test('the address of a device that was revoked, an unknown one and a malformed one give nothing', async () => {
  const device = await issue('gpslogger')
  expect((await service.call(`/devices/${device.deviceId}`, { method: 'DELETE', headers: own })).status).toBe(
    200,
  )
  expect((await fetchProfile(pathOf(device))).status).toBe(404)
  expect((await fetchProfile(`/in/gpslogger/setup/${'x'.repeat(22)}.properties`)).status).toBe(404)
  expect((await fetchProfile('/in/gpslogger/setup/short.properties')).status).toBe(400)
})

test('no other app has such an address; Redis has the hash of its code, and forgets it by itself', async () => {
  expect((await issue('osmand')).setup.link).toBeUndefined()
  const path = pathOf(await issue('gpslogger'))
  const keys = await service.redis.keys('profile:*')
  expect(keys.length).toBeGreaterThan(0)
  const code = /([^/]+)\.properties$/.exec(path)?.[1] ?? ''
  for (const key of keys) {
    expect(key).not.toContain(code)
    expect(await service.redis.pTTL(key)).toBeWithin(1, 15 * 60_000 + 1)
  }
})
