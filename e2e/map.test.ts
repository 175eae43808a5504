import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { shardOf } from '@palanquin/domain/ids'
import { startThrowawayStack, type ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { serviceOf } from '@palanquin/stack/units/copies'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'

setDefaultTimeout(TEST_TIMEOUT_MS)

/** On the map, so that a query in the wrong process would be noticed. */
const PARTICIPANTS = 20_000
const CHECKINS = 400
const LANES = 4
/** The minimum number of map requests meanwhile. */
const QUERIES_MIN = 100
/** The kernel's unit of accounting (USER_HZ). */
const TICK_MS = 10

let stack: ThrowawayStack
beforeAll(async () => {
  stack = await startThrowawayStack({ RATE_LIMITS: 'off' })
})
afterAll(() => stack.close())

const post = async (path: string, body: object) => {
  const { status } = await stack.api.post(path, body)
  expect([path, status]).toEqual([path, path === '/checkin' ? 202 : 200])
}

type MapEvent = { points: { id: string; lat: number }[]; removed: string[] }
/** The events of a public map stream while it is open. */
async function follow(query = '') {
  const answer = await fetch(`${stack.api.base}/data/stream${query}`, {
    tls: { ca: readFileSync(stack.running().caFile, 'utf8') },
  })
  const reader = answer.body?.getReader()
  if (answer.status !== 200 || !reader) throw new Error(`the stream answered ${answer.status}`)
  const events: MapEvent[] = []
  void (async () => {
    let text = ''
    const decoder = new TextDecoder()
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      text += decoder.decode(value, { stream: true })
      const frames = text.split('\n\n')
      text = frames.pop() ?? ''
      for (const frame of frames) {
        const data = /^data: (.*)$/m.exec(frame)?.[1]
        if (data) events.push(JSON.parse(data))
      }
    }
  })().catch(() => undefined) // closed by this test
  const isThere = (lat: number) => events.flatMap(({ points }) => points).find((point) => point.lat === lat)
  return { events, isThere, close: () => reader.cancel() }
}

test('a withdrawal, a revoked consent or an erasure removes a participant from every open map, and a return restores them', async () => {
  const map = await follow()
  const cursor = async () => {
    const { body } = await stack.api.get('/data')
    return (body as { data: { cursor: string } }).data.cursor
  }
  for (const [n, [leave, comeBack]] of [
    [
      (userId: string) => post('/participant-status', { userId, status: 'withdrawn' }),
      (userId: string) => post('/participant-status', { userId, status: 'active' }),
    ],
    [
      (userId: string) => post('/privacy', { userId, consent: false }),
      (userId: string) => post('/privacy', { userId, consent: true }),
    ],
    [
      async (userId: string) =>
        expect((await stack.api.delete(`/user/${userId}`, stack.api.as('owner'))).status).toBe(200),
      async () => {},
    ],
  ].entries()) {
    const userId = `Uleaves${n}`
    const lat = 24.5 + n / 10
    await post('/privacy', { userId, consent: true })
    await post('/checkin', { userId, lat, lng: 120.6, accuracy: 9 })
    const point = await until(() => map.isThere(lat), { what: `${userId} on the map` })
    expect(point).toMatchObject({ accuracy: 9 })
    const since = await cursor()
    const delta = async () => {
      const { body } = await stack.api.get(`/data?since=${since}`)
      return (body as { data: MapEvent }).data
    }
    const before = map.events.length
    await leave?.(userId)
    await until(() => map.events.slice(before).some(({ removed }) => removed.includes(point.id)), {
      what: `${userId} removed from the open map`,
    })
    await until(async () => (await delta()).removed.includes(point.id), { what: 'and in the delta' })
    if (n === 2) continue
    const gone = map.events.length
    await comeBack?.(userId)
    const again = await until(
      () => map.events.slice(gone).flatMap(({ points }) => points.find((one) => one.lat === lat) ?? [])[0],
      { what: `${userId} on the map again` },
    )
    // Who consents anew is somebody else in public.
    expect(again.id === point.id).toBe(n === 0)
  }
  await map.close()
})

/** Every copy of a service. */
const pidsOf = (service: string): number[] =>
  Object.entries(stack.running().services).flatMap(([name, { pid }]) =>
    serviceOf(name) === service ? [pid] : [],
  )

/** Processor time of a service's copies so far, in ms, including the kernel's for them. */
const processorMs = (service: string): number =>
  pidsOf(service).reduce((sum, pid) => {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [user = 0, system = 0] = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 13)
      .map(Number)
    return sum + (user + system) * TICK_MS
  }, 0)

/** kill -9 of every copy of the map. */
function killMap(): void {
  for (const pid of pidsOf('map')) process.kill(pid, 'SIGKILL')
}

/** Rows of participants from long ago; the map loads them at its start. */
async function checkInParticipants(): Promise<void> {
  const rows = Array.from({ length: PARTICIPANTS }, (_, n) => {
    const u = `crowd-${n}`
    return { u, s: shardOf(u), lat: 23.4 + (n % 10_007) / 10_007, lng: 120.3 + (n % 101) / 1_000 }
  })
  await stack.sql`
    WITH given AS (
      SELECT * FROM json_to_recordset(${JSON.stringify(rows)}::text::json)
        AS one(u text, s smallint, lat double precision, lng double precision)
    ), people AS (
      INSERT INTO engagement.participants (user_id, consent, updated_at)
      SELECT u, true, now() - interval '1 day' FROM given
    )
    INSERT INTO tracking.tracks (user_id, shard, version, points, checkins, state, last_lat, last_lng, last_at, moved_id, last_seen_at)
    SELECT u, s, 0, 1, 1, '{}', lat, lng, now() - interval '1 hour', '1-0', now() FROM given`
  killMap()
  await until(async () => (await onEveryMap()) >= PARTICIPANTS, { what: 'the crowd on the map' })
}

/** The minimum over all copies; 0 while one is down. */
async function onEveryMap(): Promise<number> {
  const shown = await Promise.all(pidsOf('map').map(() => stack.api.onTheMap().catch(() => 0)))
  return Math.min(...shown)
}

/** Check-ins of new participants, in lanes; returns tracking's processor time for them, in ms. */
async function costOfCheckins(name: string): Promise<number> {
  const before = processorMs('tracking')
  const lane = async (lane: number) => {
    for (let n = lane; n < CHECKINS; n += LANES)
      await post('/checkin', { userId: `${name}-${n}`, lat: 24 + n / 1_000, lng: 120.6 })
  }
  await Promise.all(Array.from({ length: LANES }, (_, n) => lane(n)))
  return processorMs('tracking') - before
}

const ODD: ((n: number) => [string, Record<string, string>])[] = [
  (n) => [`/data?made-up-${n}=${n}`, {}],
  (n) => [`/data?bbox=${120 + n / 1_000},23.${n % 9},121.${n % 7},24.9&format=geojson`, {}],
  (n) => [`/data?limit=${1 + (n % 1_000)}`, {}],
  (n) => ['/data', { accept: `text/made-up-${n}`, 'accept-language': `x-${n}` }],
  (n) => [`/data?format=columns&bbox=100,${n % 20},130,30`, {}],
  (n) => [`/data?since=${'A'.repeat(235)}A&x=${n}`, {}],
]

test('map requests cost check-ins nothing, whatever their parameters', async () => {
  await checkInParticipants()
  await costOfCheckins('warm')
  const alone = await costOfCheckins('alone')

  let going = true
  let asked = 0
  const answers = new Map<number, number>()
  const mapBefore = processorMs('map')
  const asking = Array.from({ length: LANES }, async (_, lane) => {
    for (let n = lane; going || asked < QUERIES_MIN; n += LANES) {
      const [path, headers] = ODD[n % ODD.length]?.(n) ?? ['/data', {}]
      const { status } = await stack.api.get(path, { headers, once: true })
      answers.set(status, (answers.get(status) ?? 0) + 1)
      asked++
    }
  })
  // What tracking does by the second costs more on a slow machine: the least of some.
  const dear = 2 * alone + 200
  let besides = Number.POSITIVE_INFINITY
  for (let again = 0; again < 3 && besides >= dear; again++)
    besides = Math.min(besides, await costOfCheckins(`besides-${again}`))
  going = false
  await Promise.all(asking)

  expect([...answers.keys()].filter((status) => ![200, 400, 503].includes(status))).toEqual([])
  expect(answers.get(200) ?? 0).toBeGreaterThan(0)
  expect(asked).toBeGreaterThanOrEqual(QUERIES_MIN)
  // They were many, and some process did the work; a twelfth of it in tracking would be noticed.
  expect(processorMs('map') - mapBefore).toBeGreaterThan(besides / 2)
  expect(besides).toBeLessThan(dear)
})

test('while the map is down check-ins go on, and afterwards all of them are on it', async () => {
  const first = pidsOf('map')
  const before = await onEveryMap()
  for (let n = 0; n < 20; n++) {
    const userId = `Umeanwhile${n}`
    if (n === 5) killMap()
    await post('/checkin', { userId, lat: 26 + n / 100, lng: 120.6 })
    await post('/privacy', { userId, consent: true })
  }
  await until(() => pidsOf('map').every((pid) => !first.includes(pid)), { what: 'the map started again' })
  await until(async () => (await onEveryMap()) === before + 20, { what: 'all of them' })
})
