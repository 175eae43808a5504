import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { Settings } from '@palanquin/domain/settings'
import { readSettings, SETTINGS_KEY } from '@palanquin/service/event-settings'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { Check } from 'typebox/value'
import { startTestService } from '../../test/service.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

let nowMs = Date.parse('2026-05-01T15:00:00.000Z')
let service: Awaited<ReturnType<typeof startTestService>>
beforeAll(async () => {
  service = await startTestService({ now: () => nowMs })
})
afterAll(() => service.close())

const patch = (body: object, tier: 1 | 2 | 3 = 3) =>
  service.call('/admin/settings', { method: 'PATCH', body, tier })
const read = () => service.data('/admin/settings', { tier: 3 })
const audited = async () =>
  (
    await service.sql`SELECT by, detail FROM engagement.audit WHERE type = 'settings.changed' ORDER BY id`
  ).map(({ by, detail }) => [by, detail])
/** Past what the process keeps of a public read. */
const later = () => {
  nowMs += 10_000
}

test('until something is set the environment holds, and only an owner may read or change it', async () => {
  const settings = await read()
  expect(Check(Settings, settings)).toBe(true)
  expect(settings).toMatchObject({
    name: { zh: '測試進香', en: 'Test Pilgrimage' },
    startsAt: null,
    densityMin: 3,
    consent: { version: '1' },
    publicBaseUrl: null,
    liffUrl: null,
  })
  for (const tier of [1, 2] as const) {
    expect((await service.call('/admin/settings', { tier })).status).toBe(403)
    expect((await patch({ densityMin: 5 }, tier)).status).toBe(403)
  }
  expect((await service.call('/admin/settings')).status).toBe(401)
  expect(await audited()).toEqual([])
})

test('any part is set, shown in public at once, copied for the other services, and audited', async () => {
  const consent = { version: '2026-2', zh: '<b>告知</b>', en: 'Notice' }
  const changed = await patch({
    name: { zh: '新名', en: 'New name', unknown: 1 },
    consent: { ...consent, unknown: 1 },
    densityMin: 5,
    startsAt: '2026-06-01T08:00:00+08:00',
    publicBaseUrl: 'https://walk.example',
  })
  expect(changed.status).toBe(200)
  expect(JSON.stringify([changed.body, await read()])).not.toContain('unknown')
  later()
  expect(await service.data('/activity')).toMatchObject({
    name: { zh: '新名', en: 'New name' },
    status: 'upcoming',
    startsAt: '2026-06-01T00:00:00.000Z',
    consentVersion: '2026-2',
  })
  expect(await service.data('/consent')).toEqual(consent)
  expect(await service.redis.get(SETTINGS_KEY)).not.toContain('unknown')
  expect(readSettings(await service.redis.get(SETTINGS_KEY))).toMatchObject({
    densityMin: 5,
    publicBaseUrl: 'https://walk.example',
    consent,
  })
  expect((await patch({ densityMin: 5 })).status).toBe(200)
  expect((await patch({ densityMin: 6, unknown: true })).body.data).toEqual(await read())
  const detail = { consentVersion: '2026-2' }
  expect(await audited()).toEqual([
    ['owner', { ...detail, changed: ['consent', 'densityMin', 'name', 'publicBaseUrl', 'startsAt'] }],
    ['owner', { ...detail, changed: ['densityMin'] }],
  ])
})

test.each([
  [{ name: { zh: '新名' } }, 'name'],
  [{ name: { zh: 'x'.repeat(81), en: 'x' } }, 'name'],
  [{ startsAt: 'tomorrow' }, 'startsAt'],
  [{ endsAt: '2026-05-31T08:00:00+08:00' }, 'endsAt'],
  [{ consent: { version: '', zh: 'x', en: 'x' } }, 'consent'],
  [{ consent: { version: '1', zh: 'x' } }, 'consent'],
  [{ densityMin: 2 }, 'densityMin'],
  [{ densityMin: 4.5 }, 'densityMin'],
  [{ densityMin: '5' }, 'densityMin'],
  [{ publicBaseUrl: 'http://walk.example' }, 'publicBaseUrl'],
  [{ publicBaseUrl: 'https://walk.example/?token=1' }, 'publicBaseUrl'],
  [{ publicBaseUrl: 'javascript:alert(1)' }, 'publicBaseUrl'],
  [{ liffUrl: 'https://evil.example/1656000000-abcdefgh' }, 'liffUrl'],
])('%j is refused with the name of the field, and changes nothing', async (wrong, field) => {
  const before = [await read(), await audited()]
  const { status, body } = await patch({ densityMin: 9, ...wrong })
  expect([status, String(body.error).split(/[.:]/)[0]]).toEqual([400, field])
  expect([await read(), await audited()]).toEqual(before)
})

test('null takes a setting back to the environment', async () => {
  await patch({ name: null, startsAt: null, consent: null, densityMin: null, publicBaseUrl: null })
  later()
  expect(await service.data('/activity')).toMatchObject({
    name: { zh: '測試進香' },
    startsAt: null,
    consentVersion: '1',
    status: 'active',
  })
  expect(await service.data('/consent')).toMatchObject({ version: '1' })
  expect(await service.redis.get(SETTINGS_KEY)).toBe('{}')
})

test('changes of several owners at once all take effect', async () => {
  const answers = await Promise.all([
    patch({ densityMin: 7 }),
    patch({ liffUrl: 'https://liff.line.me/1656000000-abcdefgh' }),
    patch({ publicBaseUrl: 'https://walk.example/app' }),
  ])
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  expect(await read()).toMatchObject({
    densityMin: 7,
    liffUrl: 'https://liff.line.me/1656000000-abcdefgh',
    publicBaseUrl: 'https://walk.example/app',
  })
})
