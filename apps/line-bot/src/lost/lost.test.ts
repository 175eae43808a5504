import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { handlerOf } from '@palanquin/events/delivery'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import { emptyTables } from '@palanquin/testing/empty-tables'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { startBot, type TestBot } from '../../test/bot-harness.ts'
import { CASES_PER_MESSAGE_MAX } from './store.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const PLACE = { lat: 24.5663, lng: 120.7081 }
const TOWN = {
  county: { zh: '苗栗縣', en: 'Miaoli County' },
  town: { zh: '通霄鎮', en: 'Tongxiao Township' },
}
const ABOUT = '奶奶，紅色外套，請看 https://evil.example/x'
let about = ABOUT

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
  about = ABOUT
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

const knowCase = (caseId: string) => {
  const data = { kind: 'lost', about, places }
  harness.services.replyWith(`/internal/lost/${caseId}`, () => ({ status: 200, body: { ok: true, data } }))
}
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
  await sentAll()
}
const sentAll = () =>
  until(async () => (await harness.sql`SELECT 1 FROM line.pushes WHERE finished_at IS NULL`).length === 0, {
    what: 'the end of all pushes',
  })
/** Until then, what is reported waits for the next message. */
const minutePasses = () =>
  harness.sql`UPDATE line.lost_alerts SET at = at - interval '2 minutes', settled_at = settled_at - interval '2 minutes'`
const received = (userId: string) =>
  harness.line.control.deliveries.received(userId).map(({ message }) => message)

test('volunteers near a case get one message with what, where and a pin; others, and owners, none', async () => {
  const [close = '', english = '', far = ''] = await people(3, 'volunteer')
  const [owner = ''] = await people(1, 'owner')
  await harness.sql`INSERT INTO engagement.participants (user_id, language) VALUES (${english}, 'en')`
  near = [close, english]
  const [caseId, eventId] = [newCase(), randomUUID()]
  await reported(caseId, eventId)
  await minutePasses()
  await reported(caseId, eventId)
  expect(received(close)).toEqual([
    {
      type: 'text',
      text: expect.stringContaining('地點：苗栗縣通霄鎮\n通報內容：奶奶，紅色外套，請看 […]\n'),
    },
    { type: 'location', title: '最後位置', address: '苗栗縣通霄鎮', latitude: 24.5663, longitude: 120.7081 },
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
  for (let again = 0; again < 2; again++) {
    await minutePasses()
    await reported(caseId)
  }
  expect([received(first).length, received(second).length]).toEqual([2, 2])
  await minutePasses()
  await reported(newCase())
  expect([received(first).length, received(second).length]).toEqual([4, 4])
  expect(received(owner)).toEqual([])
})

test('without a volunteer nearby, or without a place, the owners are notified once', async () => {
  const [far = ''] = await people(1, 'volunteer')
  const [owner = ''] = await people(1, 'owner')
  const caseId = newCase()
  await reported(caseId)
  await minutePasses()
  await reported(caseId)
  await minutePasses()
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

test('no number of reports silences the next: those of a minute come together, to volunteers and owners', async () => {
  const [close = ''] = await people(1, 'volunteer')
  const [owner = ''] = await people(1, 'owner')
  near = [close]
  await reported(newCase())
  expect([received(close).length, received(owner).length]).toEqual([2, 0])
  for (let made = 0; made < 40; made++) await deliver(newCase())
  about = '小明，藍色帽子'
  await reported(newCase())
  expect([received(close).length, received(owner).length]).toEqual([2, 0])
  await minutePasses()
  await reported(newCase())
  for (const userId of [close, owner]) {
    const texts = received(userId).slice(userId === close ? 2 : 0)
    expect(JSON.stringify(texts[0])).toContain('42 件')
    expect(JSON.stringify(texts)).toContain('41. 走失｜苗栗縣通霄鎮｜小明，藍色帽子')
  }
  await minutePasses()
  const sent = received(close).length
  await harness.bot.lost.notify()
  expect(received(close)).toHaveLength(sent)
})

test('what one message cannot carry follows with the next, and it says how many wait', async () => {
  const [owner = ''] = await people(1, 'owner')
  for (let made = 0; made < CASES_PER_MESSAGE_MAX + 3; made++) await deliver(newCase())
  await harness.bot.lost.notify()
  await sentAll()
  expect(JSON.stringify(received(owner))).toContain('還有 3 件')
  await minutePasses()
  await harness.bot.lost.notify()
  await sentAll()
  expect(JSON.stringify(received(owner))).toContain('【失散通報】3 件')
  expect(await harness.sql`SELECT 1 FROM line.lost_alerts WHERE settled_at IS NULL`).toHaveLength(0)
})

test('a process that ends between the message and its note sends it once, and drops none that came since', async () => {
  const [owner = ''] = await people(1, 'owner')
  await reported(newCase())
  await harness.sql`UPDATE line.lost_alerts SET settled_at = NULL`
  await deliver(newCase())
  await harness.bot.lost.notify()
  await sentAll()
  expect(received(owner)).toHaveLength(2)
  await minutePasses()
  await harness.bot.lost.notify()
  await sentAll()
  expect(received(owner)).toHaveLength(3)
})

test('whoever reports is told how many are: volunteers nearby, or else owners; and nobody who blocked the bot', async () => {
  const told = async () => {
    const response = await harness.call('/internal/lost-recipients', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ places: [PLACE] }),
    })
    return ((await response.json()) as { data: unknown }).data
  }
  expect(await told()).toEqual({ volunteers: 0, owners: 0 })
  const [close = '', blocked = ''] = await people(3, 'volunteer')
  await people(2, 'owner')
  expect(await told()).toEqual({ volunteers: 0, owners: 2 })
  near = [close, blocked]
  await harness.sql`UPDATE line.users SET blocked_at = now() WHERE user_id = ${blocked}`
  expect(await told()).toEqual({ volunteers: 1, owners: 0 })
  await reported(newCase())
  expect(await told()).toEqual({ volunteers: 1, owners: 2 })
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

test('once its message is sent, nothing is left of what a report said, and where', async () => {
  const [close = ''] = await people(1, 'volunteer')
  near = [close]
  await reported(newCase())
  expect(received(close)).not.toEqual([])
  const pushes = await harness.sql`SELECT messages FROM line.pushes WHERE by = 'lost-and-found'`
  expect(pushes.map(({ messages }) => messages)).toEqual([[]])
})
