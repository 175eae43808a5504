import { expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import type { EventData } from '@palanquin/domain/events'
import { publish } from '@palanquin/events/publish'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { listenTo, type MapEvent } from '../../../test/listen.ts'
import { MANAGER, mapHarness } from '../../../test/map-harness.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const { opened, checkin, pointAt, addParticipants } = mapHarness({
  prepare: async ({ sql }) => {
    for (const userId of ['ming', 'hua'])
      await sql`INSERT INTO engagement.participants (user_id, consent) VALUES (${userId}, true)`
  },
})

const listen = (query = '', headers = {}) => listenTo(opened().map, query, headers)
const lats = (event: MapEvent | undefined) => event?.data.points.map(({ lat }) => lat)

test('the first event is the map, later ones are who has moved, each with a cursor to resume from', async () => {
  await checkin('ming', 24.1)
  await pointAt(24.1)
  const stream = await listen()
  await until(() => stream.events.length === 1, { what: 'the snapshot' })
  expect(lats(stream.events[0])).toEqual([24.1])
  expect(stream.events[0]).toMatchObject({
    event: 'points',
    id: stream.events[0]?.data.cursor,
    data: { total: 1 },
  })
  await checkin('hua', 24.2)
  await until(() => stream.events.length === 2, { what: 'hua' })
  expect(lats(stream.events[1])).toEqual([24.2])
  expect(stream.events[1]?.data.total).toBe(2)

  await stream.close()
  await checkin('ming', 24.3)
  await pointAt(24.3)
  const resumed = await listen('', { 'last-event-id': stream.events[1]?.id })
  await until(() => resumed.events.length === 1, { what: 'what was missed' })
  expect(lats(resumed.events[0])).toEqual([24.3])
  await resumed.close()
})

test('a participant who withdraws or is erased is removed from every open stream of any box, and can come back', async () => {
  await checkin('hua', 24.25)
  await pointAt(24.25)
  const everywhere = await listen()
  const elsewhere = await listen('?bbox=0,0,1,1')
  const manager = await listen('', MANAGER)
  const all = [everywhere, elsewhere, manager]
  await until(() => all.every(({ events }) => events.length > 0), { what: 'the snapshots' })
  for (const { events } of all) expect(events[0]?.data).toMatchObject({ reset: true, removed: [] })
  const id = everywhere.events[0]?.data.points.find(({ lat }) => lat === 24.25)?.id ?? ''
  const removedIn = (stream: typeof everywhere) => stream.events.flatMap(({ data }) => data.removed ?? [])

  await opened().given
    .sql`UPDATE engagement.participants SET status = 'withdrawn', updated_at = now() WHERE user_id = 'hua'`
  await until(() => [everywhere, elsewhere].every((stream) => removedIn(stream).includes(id)), {
    what: 'hua removed from the public maps',
  })
  expect(removedIn(manager)).toEqual([])
  const before = everywhere.events.length
  await opened().given
    .sql`UPDATE engagement.participants SET status = 'active', updated_at = now() WHERE user_id = 'hua'`
  await until(() => everywhere.events.slice(before).some((event) => lats(event)?.includes(24.25)), {
    what: 'hua back',
  })
  const { body } = await opened().service.post('/internal/erase', { userId: 'hua' })
  const { event } = body.data as { event: EventData<'participant.erased'> }
  await publish(opened().given.redis, {
    id: randomUUID(),
    type: 'participant.erased',
    at: event.at,
    data: event,
  })
  await until(() => removedIn(manager).includes(id), { what: 'hua removed from the manager’s map' })
  await until(() => removedIn(everywhere).filter((one) => one === id).length === 2, { what: 'and again' })
  for (const stream of all) await stream.close()
})

test('a box is rounded outward: a stream has what is just outside it, and nothing far away', async () => {
  await addParticipants('near', 'far')
  await checkin('near', 25.0001)
  await checkin('far', 27)
  await pointAt(27)
  const stream = await listen('?bbox=120.5,24.9,120.7,25')
  await until(() => stream.events.length === 1, { what: 'the snapshot' })
  expect(lats(stream.events[0])).toEqual([25.0001])
  expect((await opened().map.get('/data?bbox=120.5,24.9,120.7,25')).body.data).toMatchObject({
    points: [],
    total: 0,
  })
  await stream.close()
})

test('an idle stream has comments, so that proxies keep the connection', async () => {
  const stream = await listen()
  await until(() => stream.comments.length === 1, { what: 'a comment' })
  expect(stream.events).toHaveLength(1)
  await stream.close()
})

test('an invalid parameter is a 400 before the stream begins', async () => {
  const response = await opened().map.get('/data/stream?since=then')
  expect(response.status).toBe(400)
})

test('every stream ends when the service stops', async () => {
  const stream = await listen()
  await until(() => stream.events.length === 1, { what: 'the snapshot' })
  opened().map.streams.stop()
  await until(stream.ended, { what: 'the end' })
})
