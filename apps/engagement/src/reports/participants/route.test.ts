import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { LivePositions } from '@palanquin/domain/find'
import { ApiError } from '@palanquin/service/http/api-error'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { bufferOf } from '../../../test/buffer.ts'
import { csvRecords } from '../../../test/csv.ts'
import { keysOf, startTestService, type TestService } from '../../../test/service.ts'
import { ANSWERS } from '../../../test/survey.ts'
import { SORTS } from './order.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

type Item = Record<string, unknown> & { userId: string; level: { level: number } | null }
const ANSWERED = Array.from({ length: 9 }, (_, at) => `q${at + 2}`)
let live: LivePositions['positions'] | null = null
let within: readonly string[] | ApiError = []
type Page = { items: Item[]; nextCursor: string | null; total: number }

let service: TestService
beforeAll(async () => {
  service = await startTestService({
    readLivePositions: async ({ userIds }) => live?.filter(({ userId }) => userIds.includes(userId)) ?? null,
    readWithin: async () => within,
  })
  await service.sql`
    INSERT INTO engagement.participants (user_id, display_name, phone, status, created_at, updated_at) VALUES
      ('U-anna', 'Anna 林', '+886912345678', 'active', '2026-04-01T00:00:00.000001Z', '2026-04-02T00:00:00Z'),
      ('U-bob', 'ＢＯＢ 100%_\\', '+85298765432', 'withdrawn', '2026-04-01T00:00:00.000002Z', '2026-05-04T00:00:00Z'),
      ('U-chen', '陳媽祖婆', NULL, 'completed', '2026-04-01T00:00:00.000003Z', '2026-04-02T00:00:00Z'),
      ('U-none', NULL, NULL, 'active', '2026-04-03T00:00:00Z', '2026-04-03T00:00:00Z'),
      ('V-last', '林怡君', NULL, 'active', '2026-04-04T00:00:00Z', '2026-05-03T00:00:00Z')`
  // U-stray is unregistered: the event of the first flush is not processed yet.
  await service.sql`
    INSERT INTO tracking.tracks (user_id, shard, version, walked_km, motorized_km, checkins, points, state, last_seen_at) VALUES
      ('U-anna', 0, 1, 14.9995, 0, 5, 9, '{}', '2026-05-02T00:00:00Z'),
      ('U-bob', 0, 1, 300.1, 0.4, 40, 9, '{}', '2026-05-03T12:00:00Z'),
      ('U-chen', 0, 1, 15, 0.1, 4, 9, '{}', '2026-05-01T00:00:00Z'),
      ('U-stray', 0, 1, 46, 0, 10, 9, '{}', '2026-05-05T00:00:00Z')`
})
afterAll(() => service.close())

const list = async (query = ''): Promise<Page> => {
  const data = await service.data(`/admin/users${query}`, { tier: 2 })
  return data as Page
}
const idsOf = async (query: string) => (await list(query)).items.map(({ userId }) => userId)

test('every participant is listed, also with only a row or only a track', async () => {
  const { items, total, nextCursor } = await list()
  expect(items.map(({ userId }) => userId)).toEqual([
    'U-anna',
    'U-bob',
    'U-chen',
    'U-none',
    'V-last',
    'U-stray',
  ])
  expect({ total, nextCursor }).toEqual({ total: 6, nextCursor: null })
  expect(items[0]).toMatchObject({
    phone: '+886912345678',
    role: null,
    createdAt: '2026-04-01T00:00:00.000Z',
  })
  expect(items[5]).toMatchObject({ status: 'active', distanceKm: 46, createdAt: null })
})

test('the list and the table say which beacon a device carries, also of a device that never took part', async () => {
  const [beacon] = await service.sql`
    INSERT INTO tracking.beacons (kind, name_zh, name_en) VALUES ('palanquin', '鑾轎', 'Palanquin') RETURNING id`
  await service.sql`
    INSERT INTO tracking.beacon_devices (user_id, beacon_id, since)
    SELECT device, ${beacon?.id}, '2026-04-01T00:00:00Z' FROM unnest(ARRAY['U-anna', 'W-device']) AS device`
  const carries = { id: beacon?.id, name: { zh: '鑾轎', en: 'Palanquin' } }
  const { items, total } = await list()
  expect(total).toBe(7)
  expect(items.map(({ userId, carries }) => [userId, carries])).toEqual([
    ['U-anna', carries],
    ...['U-bob', 'U-chen', 'U-none', 'V-last', 'U-stray'].map((userId) => [userId, null]),
    ['W-device', carries],
  ])
  expect(items.at(-1)).toMatchObject({ checkins: 0, distanceKm: 0, level: null, createdAt: null })
  const table = await service.respond('/admin/users?format=csv', { tier: 2 })
  const rows = csvRecords((await table.text()).replace(/^\uFEFF/, ''))
  expect(rows.slice(0, 2).map(({ carriesId, carriesNameZh }) => [carriesId, carriesNameZh])).toEqual([
    [beacon?.id, '鑾轎'],
    ['', ''],
  ])

  const device = bufferOf(service, 'U-anna')
  await device.checkin()
  expect((await list('?q=U-anna')).items[0]?.checkins).toBe(5)
  await service.sql`DELETE FROM tracking.beacons`
  expect((await list('?q=U-anna')).items[0]).toMatchObject({ checkins: 6, carries: null })
  await service.redis.del([keysOf('U-anna').pending])
})

test('each order sorts in both directions', async () => {
  const expected = {
    createdAt: 'U-anna U-bob U-chen U-none V-last U-stray',
    name: 'U-anna U-bob V-last U-chen U-none U-stray',
    distance: 'U-none V-last U-anna U-chen U-stray U-bob',
    checkins: 'U-none V-last U-chen U-anna U-stray U-bob',
    lastSeen: 'U-none U-chen U-anna V-last U-bob U-stray',
  }
  for (const [sort, ids] of Object.entries(expected)) {
    expect([sort, (await idsOf(`?sort=${sort}`)).join(' ')]).toEqual([sort, ids])
    expect([sort, (await idsOf(`?sort=-${sort}`)).join(' ')]).toEqual([
      sort,
      ids.split(' ').reverse().join(' '),
    ])
  }
  // By the names of the fields as well.
  expect(await idsOf('?sort=-distanceKm')).toEqual(await idsOf('?sort=-distance'))
  expect(await idsOf('?sort=displayName')).toEqual(await idsOf('?sort=name'))
  expect(await idsOf('?sort=lastSeenAt')).toEqual(await idsOf('?sort=lastSeen'))
})

test('pages of any size list everyone once in every order', async () => {
  for (const sort of SORTS)
    for (const limit of [1, 2, 5]) {
      const seen: string[] = []
      let cursor = ''
      do {
        const page = await list(`?sort=${sort}&limit=${limit}${cursor && `&cursor=${cursor}`}`)
        expect(page.items.length).toBeLessThanOrEqual(limit)
        expect(page.total).toBe(6)
        seen.push(...page.items.map(({ userId }) => userId))
        cursor = page.nextCursor ?? ''
      } while (cursor)
      expect([sort, seen.join(' ')]).toEqual([sort, (await idsOf(`?sort=${sort}`)).join(' ')])
    }
})

test('a search finds ids and their prefixes, parts of names in any script and case, and digits of phones', async () => {
  const found = {
    'U-anna': 'U-anna',
    'V-': 'V-last',
    'U-str': 'U-stray',
    anna: 'U-anna',
    NNA: 'U-anna',
    林: 'U-anna V-last',
    媽祖: 'U-chen',
    bob: 'U-bob',
    '100%': 'U-bob',
    '%_\\': 'U-bob',
    '%': 'U-bob',
    _: 'U-bob',
    '0912-345-678': 'U-anna',
    '+886 912345678': 'U-anna',
    '678': 'U-anna',
    '5432': 'U-bob',
    '78': '',
    祖媽: '',
    "' OR 1=1 --": '',
  }
  for (const [q, ids] of Object.entries(found)) {
    const { items, total } = await list(`?q=${encodeURIComponent(q)}`)
    expect([q, items.map(({ userId }) => userId).join(' '), total]).toEqual([
      q,
      ids,
      ids === '' ? 0 : ids.split(' ').length,
    ])
  }
  expect((await list('?q=%20')).total).toBe(6)
})

test('filters of status and level combine with every order, and the total follows them', async () => {
  const counts = { '?status=active': 4, '?status=withdrawn': 1, '?status=completed': 1 }
  for (const [query, count] of Object.entries(counts)) {
    for (const sort of SORTS)
      expect([sort, query, (await list(`${query}&sort=${sort}`)).items.length]).toEqual([sort, query, count])
    expect((await list(query)).total).toBe(count)
  }
  const levels = ['U-none V-last', 'U-anna U-chen', '', 'U-stray', '', '', '', '', '', 'U-bob']
  for (const [level, ids] of levels.entries()) {
    const { items, total } = await list(`?level=${level}`)
    expect([level, items.map(({ userId }) => userId).join(' '), total]).toEqual([
      level,
      ids,
      ids.split(' ').filter(Boolean).length,
    ])
    expect(items.every((item) => (item.level?.level ?? 0) === level)).toBe(true)
  }
})

test('buffered check-ins count at once: in the numbers, within the page, and for participants only in the buffer', async () => {
  const [none, unregistered] = [bufferOf(service, 'U-none'), bufferOf(service, 'W-new')]
  await none.checkin()
  await none.checkin()
  await unregistered.checkin()
  const { items } = await list('?sort=-checkins&q=U-none')
  expect(items).toMatchObject([{ userId: 'U-none', checkins: 2, level: { level: 1 } }])
  expect((await list('?level=0')).items.map(({ userId }) => userId)).toEqual(['V-last'])
  expect(await list('?q=W-new')).toMatchObject({ total: 1, items: [{ userId: 'W-new', checkins: 1 }] })
  await service.redis.del([keysOf('U-none').pending, keysOf('W-new').pending])
})

test('an invalid query is 400 and names the field; a lower tier is refused', async () => {
  const { nextCursor } = await list('?limit=1')
  for (const [query, field] of [
    ['?sort=phone', 'sort'],
    ['?level=10', 'level'],
    ['?level=one', 'level'],
    ['?status=gone', 'status'],
    ['?limit=0', 'limit'],
    ['?format=xml', 'format'],
    ['?q=a%00b', 'q'],
    [`?q=${'x'.repeat(101)}`, 'q'],
    ['?near=24,120', 'near'],
    ['?near=24,120,', 'near'],
    ['?near=91,120,1', 'near'],
    ['?near=24,120,0', 'near'],
    ['?near=24,120,1,1', 'near'],
    ['?silentSince=yesterday', 'silentSince'],
    ['?silentSince=2026-05-01T00:00:00', 'silentSince'],
    [`?cursor=${nextCursor}&sort=name`, 'cursor'],
    [`?cursor=${nextCursor}x`, 'cursor'],
  ] as const) {
    const { status, body } = await service.call(`/admin/users${query}`, { tier: 2 })
    expect([query, status, String(body.error).split(':')[0]]).toEqual([query, 400, field])
  }
  expect((await service.call('/admin/users', { tier: 1 })).status).toBe(403)
  expect((await service.call('/admin/users')).status).toBe(401)
})

test('the table has all matches, with the field names as header', async () => {
  const response = await service.respond('/admin/users?format=csv&sort=-distance&limit=1', { tier: 2 })
  expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect(response.headers.get('content-disposition')).toBe('attachment; filename="participants.csv"')
  const bytes = new Uint8Array(await response.arrayBuffer())
  expect([...bytes.slice(0, 3)]).toEqual([0xef, 0xbb, 0xbf])
  const rows = csvRecords(new TextDecoder().decode(bytes))
  expect(rows.map(({ userId }) => userId)).toEqual(await idsOf('?sort=-distance'))
  expect(rows[0]).toMatchObject({ displayName: 'ＢＯＢ 100%_\\', phone: "'+85298765432", level: '9' })
  expect(rows[2]).toMatchObject({ displayName: '陳媽祖婆', phone: '', levelNameZh: '煉氣香客' })
})

test('the list and the table say where somebody last was, and what the phone then said of its battery', async () => {
  const at = '2026-04-03T01:02:03.456Z'
  await service.sql`SELECT tracking.ensure_points_partition(${at}::date)`
  await service.sql`
    INSERT INTO tracking.tracks (user_id, shard, version, points, state, last_seen_at, last_lat, last_lng, last_at)
    VALUES ('Z-charged', 0, 1, 2, '{}', ${at}, 24.5, 120.7, ${at}), ('Z-silent', 0, 1, 1, '{}', ${at}, 24.6, 120.6, ${at})`
  await service.sql`
    INSERT INTO tracking.points (user_id, recorded_at, kind, lat, lng, source, received_at, battery) VALUES
      ('Z-charged', ${at}, 1, 24.5, 120.7, 'web', ${at}, 41),
      ('Z-charged', ${at}::timestamptz - interval '1 minute', 1, 24.4, 120.7, 'web', ${at}, 43),
      ('Z-silent', ${at}, 1, 24.6, 120.6, 'web', ${at}, NULL)`
  const { items } = await list('?q=Z-')
  expect(items).toMatchObject([
    { userId: 'Z-charged', lastPosition: { lat: 24.5, lng: 120.7, recordedAt: at }, battery: 41 },
    { userId: 'Z-silent', lastPosition: { lat: 24.6, lng: 120.6, recordedAt: at }, battery: null },
  ])
  expect((await list('?q=U-none')).items[0]).toMatchObject({ lastPosition: null, battery: null })
  const table = await (await service.respond('/admin/users?format=csv&q=Z-charged', { tier: 2 })).text()
  expect(csvRecords(table)[0]).toMatchObject({
    lastLat: '24.5',
    lastLng: '120.7',
    lastRecordedAt: '2026-04-03T09:02:03.456+08:00',
    battery: '41',
  })
})

test('live positions are shown before the flush, and the stored ones without the map', async () => {
  const at = '2026-05-09T11:59:30.000Z'
  live = [{ userId: 'Z-charged', lat: 24.9, lng: 120.9, recordedAt: at, battery: 40, place: null }]
  const position = async () => (await list('?q=Z-charged')).items[0]
  expect(await position()).toMatchObject({
    lastPosition: { lat: 24.9, lng: 120.9, recordedAt: at },
    battery: 40,
  })
  live = [{ userId: 'Z-charged', lat: 24.9, lng: 120.9, recordedAt: at, battery: null, place: null }]
  expect(await position()).toMatchObject({ lastPosition: { lat: 24.9 }, battery: 41 })
  live = null
  expect(await position()).toMatchObject({ lastPosition: { lat: 24.5 }, battery: 41 })
})

test('who is near a place, as the map says, with every other filter', async () => {
  within = ['U-anna', 'U-chen', 'U-stray', 'unheard-of']
  expect(await list('?near=24.5,120.7,2.5')).toMatchObject({ total: 3 })
  expect(await idsOf('?near=24.5,120.7,2.5&sort=-distance')).toEqual(['U-stray', 'U-chen', 'U-anna'])
  expect(await idsOf('?near=24.5,120.7,2.5&q=anna')).toEqual(['U-anna'])
  const table = await (await service.respond('/admin/users?format=csv&near=24.5,120.7,2', { tier: 2 })).text()
  expect(csvRecords(table).map(({ userId }) => userId)).toEqual(['U-anna', 'U-chen', 'U-stray'])
  within = []
  expect(await list('?near=24.5,120.7,2.5')).toMatchObject({ items: [], total: 0 })
  within = new ApiError('invalid', 'near: too many')
  expect((await service.call('/admin/users?near=24.5,120.7,900', { tier: 2 })).status).toBe(400)
})

test('who was silent since a time: neither a stored point, nor a buffered one, nor a change of the profile', async () => {
  const silent = (since: string) => idsOf(`?silentSince=${encodeURIComponent(since)}&q=U-`)
  expect(await silent('2026-05-03T00:00:00Z')).toEqual(['U-anna', 'U-chen', 'U-none'])
  expect(await silent('2026-05-02T08:00:00+08:00')).toEqual(['U-chen', 'U-none'])
  expect(await silent('2026-05-06T00:00:00Z')).toEqual(['U-anna', 'U-bob', 'U-chen', 'U-none', 'U-stray'])
  live = [
    {
      userId: 'U-anna',
      lat: 24,
      lng: 120,
      recordedAt: '2026-05-04T00:00:00.000Z',
      battery: null,
      place: null,
    },
  ]
  expect(await silent('2026-05-03T00:00:00Z')).toEqual(['U-chen', 'U-none'])
  live = null
})

test('one participant has the item of the list, and the survey in words', async () => {
  await service.data('/submit', { body: { userId: 'U-anna', answers: ANSWERS } })
  const { survey, ...item } = await service.data('/admin/users/U-anna', { tier: 2 })
  expect(item).toEqual((await list('?q=U-anna')).items[0] ?? {})
  expect(survey).toMatchObject([
    { id: 'q1', answer: [{ zh: expect.stringMatching(/\p{Script=Han}/u) }, { zh: '幫忙推嬰兒車' }] },
    ...ANSWERED.map((id) => ({ id })),
  ])
  expect(await service.data('/admin/users/U-none', { tier: 2 })).toMatchObject({ survey: null })
  const [row] = csvRecords(
    await (await service.respond('/admin/users?format=csv&q=U-anna', { tier: 2 })).text(),
  )
  expect(row?.q1).toMatch(/^\p{Script=Han}+.*; 幫忙推嬰兒車$/u)
  expect(row?.q3).toMatch(/高鐵.* 330 公里/)
  await service.sql`UPDATE engagement.participants SET language = 'en' WHERE user_id = 'U-anna'`
  const [english] = csvRecords(
    await (await service.respond('/admin/users?format=csv&q=U-anna', { tier: 2 })).text(),
  )
  expect(english?.q3).toContain('330 km')
  expect((await service.call('/admin/users/unheard-of', { tier: 2 })).status).toBe(404)
  expect((await service.call('/admin/users/U-anna', { tier: 1 })).status).toBe(403)
  expect((await service.call('/admin/users/U-anna')).status).toBe(401)
})
