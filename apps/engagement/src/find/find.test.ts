import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import type { LivePositions } from '@palanquin/domain/find'
import { ACTOR_HEADER } from '@palanquin/service/http/headers'
import { emptyTables } from '@palanquin/testing/empty-tables'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { bufferOf } from '../../test/buffer.ts'
import { startTestService, type TestService } from '../../test/service.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const ANNA = { [ACTOR_HEADER]: 'U-anna' }
const REASON = '家屬在服務台'
const PLACE = {
  county: { zh: '苗栗縣', en: 'Miaoli County' },
  town: { zh: '通霄鎮', en: 'Tongxiao Township' },
}
const LIVE = { lat: 24.5663, lng: 120.7081, recordedAt: '2026-05-09T11:59:30.000Z', place: PLACE }

let live: LivePositions['positions'] | null = null
let service: TestService
beforeAll(async () => {
  service = await startTestService({
    readLivePositions: async ({ userIds }) => live?.filter(({ userId }) => userIds.includes(userId)) ?? null,
  })
})
beforeEach(async () => {
  live = []
  await emptyTables(
    service.sql,
    'engagement.participants',
    'engagement.lost_cases',
    'engagement.audit',
    'engagement.links',
    'tracking.tracks',
    'tracking.points',
  )
})
afterAll(() => service.close())

type Found = Record<string, unknown> & { userId: string }
const register = async (userId: string, displayName: string | null, phone: string | null = null) => {
  await service.sql`INSERT INTO engagement.participants (user_id, display_name, phone)
    VALUES (${userId}, ${displayName}, ${phone})`
}
const ask = (given: Record<string, string>, tier: 0 | 1 | 2 | 3 = 1) =>
  service.call(`/admin/find?${new URLSearchParams(given)}`, { tier, headers: ANNA })
const found = async (q: string, tier: 1 | 2 | 3 = 1) => {
  const { status, body } = await ask({ q, reason: REASON }, tier)
  expect(status).toBe(200)
  return body.data as { items: Found[]; more: boolean }
}
const idsOf = async (q: string) => (await found(q)).items.map(({ userId }) => userId)
const audit = async () =>
  (await service.sql`SELECT type, by, detail FROM engagement.audit ORDER BY id`).map((row) => ({ ...row }))

test('a volunteer sees where somebody is, the battery and the number masked; a manager the whole number', async () => {
  await register('U-lin', '林媽媽', '+886912345678')
  live = [{ userId: 'U-lin', ...LIVE, battery: 62 }]
  const shown = {
    userId: 'U-lin',
    displayName: '林媽媽',
    phoneMasked: '+886•••••678',
    lastPosition: LIVE,
    battery: 62,
  }
  expect(await found('林媽')).toEqual({ items: [shown], more: false })
  for (const tier of [2, 3] as const)
    expect((await found('林媽', tier)).items).toEqual([{ ...shown, phone: '+886912345678' }])
  expect((await found('陳')).items).toEqual([])
})

test('people are found by part of the name in any case and width, by phone, and by the whole id alone', async () => {
  await register('U-amy', 'Amy Chen 100%', '+886912345678')
  await register('U-may', 'ＭＡＹ＿chen', '+886987655678')
  await register('U-nameless', null)
  const expected: Record<string, string[]> = {
    CHEN: ['U-amy', 'U-may'],
    'amy c': ['U-amy'],
    may_: ['U-may'],
    '%': ['U-amy'],
    '100%': ['U-amy'],
    _: ['U-may'],
    "'; --": [],
    '0912-345-678': ['U-amy'],
    '+886 912 345 678': ['U-amy'],
    '886912345678': ['U-amy'],
    '5678': ['U-amy', 'U-may'],
    '45678': ['U-amy'],
    '0912345': [],
    '678': [],
    'U-amy': ['U-amy'],
    'U-': [],
    'U-nameless': ['U-nameless'],
  }
  for (const [q, userIds] of Object.entries(expected))
    expect([q, (await idsOf(q)).toSorted()]).toEqual([q, userIds])
})

test('the best matches come first, and of equal ones the most recently seen; at most twenty', async () => {
  for (const [at, name] of ['陳美', '小陳美', '陳美麗', '陳美'].entries()) {
    await register(`U${at}`, name)
    await service.sql`INSERT INTO tracking.tracks (user_id, shard, version, walked_km, motorized_km, checkins, points, state, last_seen_at)
      VALUES (${`U${at}`}, 0, 1, 0, 0, 0, 0, '{}', ${new Date(Date.UTC(2026, 4, 1, at))})`
  }
  expect(await idsOf('陳美')).toEqual(['U3', 'U0', 'U2', 'U1'])
  for (let i = 0; i < 21; i++) await register(`many-${i}`, `陳美 ${i}`)
  const { items, more } = await found('陳美')
  expect([items.length, more]).toEqual([20, true])
  expect(items.slice(0, 2).map(({ userId }) => userId)).toEqual(['U3', 'U0'])
})

test('both parameters are required, and say what they are for', async () => {
  for (const [given, field] of [
    [{ q: '林' }, 'reason'],
    [{ q: '林', reason: ' ' }, 'reason'],
    [{ q: '林', reason: 'a\u0000' }, 'reason'],
    [{ q: '林', reason: 'x'.repeat(301) }, 'reason'],
    [{ reason: REASON }, 'q'],
    [{ q: '', reason: REASON }, 'q'],
    [{ q: 'x'.repeat(101), reason: REASON }, 'q'],
  ] as const) {
    const { status, body } = await ask({ ...given })
    expect([field, status, String(body.error).split(':')[0]]).toEqual([field, 400, field])
  }
  expect(String((await ask({ q: '林' })).body.error)).toContain('why you look for them')
  expect((await ask({ q: '林', reason: REASON }, 0)).status).toBe(401)
  expect(await audit()).toEqual([])
})

test('the audit has who, why, what and whom, and no whole phone number', async () => {
  await register('U-lin', '林媽媽', '+886912345678')
  await found('林')
  await found('0912-345-678')
  await found('1234567')
  await found('U-lin')
  await ask({ q: '張', reason: '請回電 0912 345 678, 5/1 15:00' })
  expect(await audit()).toEqual(
    [
      ['林', REASON, ['U-lin']],
      ['•••••678', REASON, ['U-lin']],
      ['•••••567', REASON, []],
      ['U-lin', REASON, ['U-lin']],
      ['張', '請回電 •••••678, 5/1 15:00', []],
    ].map(([asked, reason, userIds]) => ({
      type: 'participant.searched',
      by: 'U-anna',
      detail: { asked, reason, userIds },
    })),
  )
  const events = async (tier: 1 | 2) =>
    JSON.stringify((await service.data('/admin/timeline', { tier })).events)
  expect(await events(2)).toContain('林')
  for (const hidden of ['林', REASON, 'U-lin', 'U-anna']) expect(await events(1)).not.toContain(hidden)
})

test('an erasure takes the words and the name out of the searches that found somebody', async () => {
  await register('U-lin', '林媽媽')
  await register('U-other', '林大哥')
  await found('林媽媽')
  await found('大哥')
  await service.data('/user/U-lin', { method: 'DELETE', tier: 3 })
  expect((await audit()).map(({ detail }) => detail).slice(0, 2)).toEqual([
    { userIds: [] },
    { asked: '大哥', reason: REASON, userIds: ['U-other'] },
  ])
  expect(await idsOf('林媽媽')).toEqual([])
})

test('a participant whom only the buffer knows is found by id, and a device that was joined to somebody is not', async () => {
  await bufferOf(service, 'fresh').checkin()
  await bufferOf(service, 'w_joined').checkin()
  await service.sql`INSERT INTO engagement.links (device_id, user_id) VALUES ('w_joined', 'U-lin')`
  live = [{ userId: 'fresh', ...LIVE, battery: null }]
  expect((await found('fresh')).items).toEqual([
    { userId: 'fresh', displayName: null, phoneMasked: null, lastPosition: LIVE, battery: null },
  ])
  expect(await idsOf('w_joined')).toEqual([])
  expect(await idsOf('unheard-of')).toEqual([])
})

test('while the map is away the stored position is shown, without a place', async () => {
  await register('U-lin', '林媽媽')
  const buffer = bufferOf(service, 'U-lin')
  await buffer.checkin()
  await buffer.flush(1)
  await service.sql`UPDATE tracking.tracks SET last_lat = 24, last_lng = 120.5, last_at = p.recorded_at
    FROM tracking.points AS p WHERE p.user_id = tracks.user_id`
  await service.sql`UPDATE tracking.points SET battery = 40`
  live = null
  const [stored] = (await found('林')).items
  expect(stored).toMatchObject({ lastPosition: { lat: 24, lng: 120.5, place: null }, battery: 40 })
  // A live position that says no battery leaves what is known.
  live = [{ userId: 'U-lin', ...LIVE, battery: null }]
  expect((await found('林')).items[0]).toMatchObject({ lastPosition: LIVE, battery: 40 })
})

test('of somebody who has withdrawn a volunteer sees no position', async () => {
  await register('U-lin', '林媽媽')
  await service.sql`UPDATE engagement.participants SET status = 'withdrawn'`
  live = [{ userId: 'U-lin', ...LIVE, battery: 62 }]
  expect((await found('林')).items[0]).toMatchObject({ lastPosition: null, battery: null })
  expect((await found('林', 2)).items[0]).toMatchObject({ lastPosition: LIVE, battery: 62 })
})

test('a case is about somebody once a manager says so, and until it is closed', async () => {
  await register('U-lin', '林媽媽')
  const { body } = await service.call('/admin/lost', {
    tier: 2,
    headers: ANNA,
    body: { kind: 'lost', about: '紅色外套' },
  })
  const { id } = body.data as { id: string }
  const change = (patch: object) =>
    service.data(`/admin/lost/${id}`, { method: 'PATCH', tier: 2, headers: ANNA, body: patch })
  const lost = async (tier: 1 | 2 = 1) => (await found('林', tier)).items[0]?.lost
  expect(await lost()).toBeUndefined()
  await change({ userId: 'U-lin', status: 'taken' })
  const one = { id, kind: 'lost', status: 'taken', about: '紅色外套', createdAt: expect.any(String) }
  expect(await lost()).toEqual([{ ...one, takenBy: 'administrator' }])
  expect(await lost(2)).toEqual([{ ...one, takenBy: 'U-anna' }])
  await change({ status: 'closed' })
  expect(await lost()).toBeUndefined()
})
