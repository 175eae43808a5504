import { expect, test } from 'bun:test'
import type { Static } from 'typebox'
import { Check } from 'typebox/value'
import { type DomainEvent, EVENT_DATA, EVENT_TYPES, eventSchemaOf, isEventType } from './events'

const envelope = { id: '0b7f1f52-7a43-4c0e-9c29-5a1f6f8c2d10', at: '2026-05-01T15:00:00.000Z' }
const totals = {
  userId: 'U1',
  points: 9,
  checkins: 2,
  walkedKm: 1.5,
  motorizedKm: 0,
  lastRecordedAt: envelope.at,
}

const examples: DomainEvent[] = [
  { ...envelope, type: 'activity.changed', data: { status: 'paused', since: envelope.at, by: 'manager' } },
  { ...envelope, type: 'activity.ended', data: { at: envelope.at, by: 'owner' } },
  {
    ...envelope,
    type: 'participant.changed',
    data: { userId: 'U1', status: 'active', consent: true, displayName: null, language: 'en' },
  },
  { ...envelope, type: 'track.advanced', data: { shard: 3, participants: [totals] } },
  { ...envelope, type: 'achievement.unlocked', data: { userId: 'U1', at: envelope.at } },
  {
    ...envelope,
    type: 'participant.erased',
    data: { shard: 3, mark: 'w2Zk0d9sYb1nQ5mX7pLr3A', at: envelope.at, upTo: '1776434700000-0' },
  },
  { ...envelope, type: 'photos.changed', data: { userId: 'U1', count: 3 } },
  { ...envelope, type: 'device.changed', data: { deviceId: envelope.id } },
  { ...envelope, type: 'lost.reported', data: { caseId: envelope.id } },
  {
    ...envelope,
    type: 'admin.acted',
    data: { action: 'card.renewed', by: 'manager', detail: { userId: 'U1' } },
  },
]

test('every type of event has a schema, and an example of it passes that one alone', () => {
  expect(examples.map((event) => event.type)).toEqual([...EVENT_TYPES])
  expect(Object.keys(EVENT_DATA)).toEqual([...EVENT_TYPES])
  for (const event of examples) {
    expect(EVENT_TYPES.filter((type) => Check(eventSchemaOf(type), event))).toEqual([event.type])
  }
})

test('what the schema of a type accepts is an event of that type', () => {
  const read = (
    event: Static<ReturnType<typeof eventSchemaOf<'photos.changed'>>>,
  ): DomainEvent<'photos.changed'> => event
  expect(read({ ...envelope, type: 'photos.changed', data: { userId: 'U1', count: 3 } }).data.userId).toBe(
    'U1',
  )
})

test('an event without a valid id, time or data is rejected', () => {
  const schema = eventSchemaOf('photos.changed')
  const event = { ...envelope, type: 'photos.changed', data: { userId: 'U1', count: 3 } }
  expect(Check(schema, event)).toBe(true)
  const bad = [
    { ...event, id: '1' },
    { ...event, at: 'now' },
    { ...event, data: {} },
    { ...event, data: { userId: 'a b', count: 3 } },
    { ...event, type: 'participant.changed' },
  ]
  expect(bad.filter((value) => Check(schema, value))).toEqual([])
})

test('one track.advanced carries at most 500 participants', () => {
  const of = (count: number) => ({
    ...envelope,
    type: 'track.advanced',
    data: { shard: 0, participants: Array(count).fill(totals) },
  })
  expect([1, 500, 0, 501].map((count) => Check(eventSchemaOf('track.advanced'), of(count)))).toEqual([
    true,
    true,
    false,
    false,
  ])
})

test('only the types of the table are types', () => {
  expect(EVENT_TYPES.every(isEventType)).toBe(true)
  expect(['', 'constructor', 'track', null, 3].some(isEventType)).toBe(false)
})
