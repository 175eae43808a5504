import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { handlerOf } from '@palanquin/events/delivery'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import { emptyTables } from '@palanquin/testing/empty-tables'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { startBot, type TestBot } from '../../test/bot-harness.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const PLACE = { lat: 24.5663, lng: 120.7081 }
const TOWN = {
  county: { zh: '苗栗縣', en: 'Miaoli County' },
  town: { zh: '通霄鎮', en: 'Tongxiao Township' },
}
const ABOUT = '奶奶，紅色外套，請看 https://evil.example/x'

let harness: TestBot
let near: string[] = []
let places: object[] = [PLACE]
beforeAll(async () => {
  harness = await startBot()
})
afterAll(() => harness.close())
beforeEach(async () => {
  harness.line.control.deliveries.clear()
  harness.services.reset()
  near = []
  places = [PLACE]
  await emptyTables(
    harness.sql,
    'line.lost_alerts',
    'line.lost_notified',
    'line.pushes',
    'line.push_chunks',
    'engagement.roles',
    'line.users',
  )
  harness.services.replyWith('/internal/nearby', ({ body }) => {
    const { userIds } = body as { userIds: string[] }
    const data = { userIds: userIds.filter((id) => near.includes(id)), towns: [TOWN] }
    return { status: 200, body: { ok: true, data } }
  })
})

const knowCase = (caseId: string) =>
  harness.services.replyWith(`/internal/lost/${caseId}`, () => ({
    status: 200,
    body: { ok: true, data: { kind: 'lost', about: ABOUT, places } },
  }))
const newCase = (): string => {
  const caseId = randomUUID()
  knowCase(caseId)
  return caseId
}
const people = async (count: number, role: string): Promise<string[]> => {
  const ids = harness.line.control.people.addMany(count)
  await harness.sql`INSERT INTO line.users (user_id) SELECT unnest(${ids}::text[])`
  await harness.sql`INSERT INTO engagement.roles (user_id, role, given_by) SELECT unnest(${ids}::text[]), ${role}, 'owner'`
  return ids
}
const deliver = async (caseId: string, id: string = randomUUID()) => {
  const event = { id, type: 'lost.reported', at: '2026-05-01T15:00:00.000Z', data: { caseId } } as const
  await handlerOf(harness.bot.handlers, event)?.()
}
/** What the event causes, until all of it is sent. */
const reported = async (caseId: string, id?: string) => {
  await deliver(caseId, id)
  await harness.bot.lost.notify()
  await until(
    async () => (await harness.sql`SELECT 1 FROM line.pushes WHERE finished_at IS NULL`).length === 0,
    { what: 'the end of all pushes' },
  )
}
const received = (userId: string) =>
  harness.line.control.deliveries.received(userId).map(({ message }) => message)

test('volunteers near a case get one message with what, where and a pin; others, and owners, none', async () => {
  const [close = '', english = '', far = ''] = await people(3, 'volunteer')
  const [owner = ''] = await people(1, 'owner')
  await harness.sql`INSERT INTO engagement.participants (user_id, language) VALUES (${english}, 'en')`
  near = [close, english]
  const [caseId, eventId] = [newCase(), randomUUID()]
  await reported(caseId, eventId)
  await reported(caseId, eventId)
  expect(received(close)).toEqual([
    {
      type: 'text',
      text: expect.stringContaining('地點：苗栗縣通霄鎮\n通報內容：奶奶，紅色外套，請看 […]\n'),
    },
    {
      type: 'location',
      title: '最後位置',
      address: '苗栗縣通霄鎮',
      latitude: 24.5663,
      longitude: 120.7081,
    },
  ])
  expect(JSON.stringify(received(close))).toContain('https://liff.line.me/1656000000-abcdefgh/map')
  expect(received(english)).toMatchObject([
    { text: expect.stringContaining('Where: Tongxiao Township, Miaoli County') },
    { type: 'location', title: 'Last position' },
  ])
  expect([...received(far), ...received(owner)]).toEqual([])
})

test('a case whose place is corrected reaches those who are near now, and each only once', async () => {
  const [first = '', second = ''] = await people(2, 'volunteer')
  const [owner = ''] = await people(1, 'owner')
  const caseId = newCase()
  near = [first]
  await reported(caseId)
  near = [first, second]
  await reported(caseId)
  await reported(caseId)
  expect([received(first).length, received(second).length]).toEqual([2, 2])
  await reported(newCase())
  expect([received(first).length, received(second).length]).toEqual([4, 4])
  expect(received(owner)).toEqual([])
})

test('without a volunteer nearby, or without a place, the owners are notified once', async () => {
  const [far = ''] = await people(1, 'volunteer')
  const [owner = ''] = await people(1, 'owner')
  const caseId = newCase()
  await reported(caseId)
  await reported(caseId)
  expect(received(owner)).toMatchObject([
    { text: expect.stringContaining('5 公里內沒有可通知的志工') },
    { type: 'location' },
  ])
  places = []
  await reported(newCase())
  expect(received(owner)[2]).toMatchObject({ text: expect.stringContaining('（通報時沒有位置）') })
  expect(received(owner)).toHaveLength(3)
  expect(received(far)).toEqual([])
})

test('while the map or engagement is away the case waits, and notifies when they are back', async () => {
  const [close = ''] = await people(1, 'volunteer')
  near = [close]
  const caseId = newCase()
  await deliver(caseId)
  for (const service of ['map', 'engagement']) {
    harness.services.away.add(service)
    expect(await harness.bot.lost.notify().catch((error: unknown) => error)).toBeInstanceOf(StoreUnavailable)
    harness.services.away.delete(service)
  }
  expect(received(close)).toEqual([])
  await reported(caseId, randomUUID())
  expect(received(close)).toHaveLength(2)
})

test('a case that was closed meanwhile notifies no volunteer, and one that cannot be read holds up no other', async () => {
  const [close = ''] = await people(1, 'volunteer')
  near = [close]
  await reported(randomUUID())
  expect(received(close)).toEqual([])
  const broken = newCase()
  const kept = newCase()
  harness.services.replyWith('/internal/nearby', ({ body }) => {
    const { userIds } = body as { userIds: string[] }
    return harness.services.callsOf('/internal/nearby').length === 1
      ? { status: 400, body: { error: 'no' } }
      : { status: 200, body: { ok: true, data: { userIds, towns: [null] } } }
  })
  await deliver(broken)
  await reported(kept)
  expect(received(close)).toMatchObject([
    { text: expect.stringContaining('地點：24.5663, 120.7081') },
    { type: 'location' },
  ])
  expect(await harness.sql`SELECT case_id FROM line.lost_alerts WHERE settled_at IS NULL`).toMatchObject([
    { case_id: broken },
  ])
})

test('thirty cases an hour notify volunteers; of more the owners are notified once, and no volunteer', async () => {
  const [close = ''] = await people(1, 'volunteer')
  const [owner = ''] = await people(1, 'owner')
  near = [close]
  await harness.sql`
    INSERT INTO line.lost_alerts (event_id, case_id, settled_at)
    SELECT gen_random_uuid(), gen_random_uuid(), now() FROM generate_series(1, 29)`
  await reported(newCase())
  expect(received(close)).toHaveLength(2)
  await reported(newCase())
  await reported(newCase())
  expect(received(close)).toHaveLength(2)
  expect(received(owner)).toMatchObject([{ text: expect.stringContaining('30 件') }])
})

test('an erasure takes a user out of who was notified', async () => {
  const [close = ''] = await people(1, 'volunteer')
  near = [close]
  await reported(newCase())
  const erase = () =>
    harness.call('/internal/erase', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ userId: close }),
    })
  await until(async () => (await erase()).status === 200, { what: 'the erasure' })
  expect(await harness.sql`SELECT 1 FROM line.lost_notified`).toHaveLength(0)
})
