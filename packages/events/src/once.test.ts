import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { EFFECT, type TestBus, testBus } from '../test/bus.ts'
import { applyOnce, forgetProcessed, onceStatement } from './once.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

let bus: TestBus
beforeEach(async () => {
  bus = await testBus()
})
afterEach(() => bus.close())

const participant = 'INSERT INTO engagement.participants (user_id) SELECT $2 FROM fresh'

test('all effects happen the first time and none ever after', async () => {
  const eventId = crypto.randomUUID()
  const once = {
    schema: 'engagement',
    eventId,
    effects: [EFFECT, participant],
    parameters: ['participant'],
  } as const
  expect(await applyOnce(bus.db, once)).toBe(true)
  expect(await applyOnce(bus.db, once)).toBe(false)
  expect(await bus.effects()).toEqual(new Map([[eventId, 1]]))
})

test('an effect that fails leaves the event unprocessed and the other effects undone', async () => {
  const eventId = crypto.randomUUID()
  await bus.db.query("INSERT INTO engagement.participants (user_id) VALUES ('participant')")
  const failing = {
    schema: 'engagement',
    eventId,
    effects: [EFFECT, participant],
    parameters: ['participant'],
  } as const
  await expect(applyOnce(bus.db, failing)).rejects.toThrow()
  expect(await bus.effects()).toEqual(new Map())
  expect(await applyOnce(bus.db, { ...failing, parameters: ['other'] })).toBe(true)
})

test('each schema keeps its own account of events', async () => {
  const eventId = crypto.randomUUID()
  for (const schema of ['tracking', 'engagement'] as const)
    expect(await applyOnce(bus.db, { schema, eventId, effects: [EFFECT] })).toBe(true)
  expect(await bus.effects()).toEqual(new Map([[eventId, 2]]))
})

test('an effect that forgets to read FROM fresh is refused: it would happen at every delivery', () => {
  expect(() => onceStatement({ schema: 'tracking', effects: ['DELETE FROM tracking.tracks'] })).toThrow(
    /FROM fresh/,
  )
})

test('old events are forgotten, and young ones kept', async () => {
  const old = crypto.randomUUID()
  const young = crypto.randomUUID()
  await bus.db.query(
    "INSERT INTO tracking.processed_events VALUES ($1::text::uuid, now() - interval '15 days'), ($2::text::uuid, now() - interval '8 days')",
    [old, young],
  )
  expect(await forgetProcessed(bus.db, 'tracking')).toBe(1)
  expect(await bus.db.query('SELECT event_id FROM tracking.processed_events')).toEqual([{ event_id: young }])
})
