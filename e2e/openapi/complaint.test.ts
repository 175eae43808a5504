import { expect, test } from 'bun:test'
import { type Arrived, complaint } from './complaint.ts'
import type { Operation } from './openapi.ts'

/** Negative controls: deviations that the comparison must find. */
const schema = {
  type: 'object',
  required: ['points'],
  properties: {
    points: {
      type: 'array',
      items: { type: 'object', properties: { lat: { type: 'number', maximum: 90 } } },
    },
    at: { type: 'string', format: 'date-time' },
  },
}
const operation: Operation = {
  responses: {
    200: {
      description: 'points',
      headers: {
        ETag: { required: true, schema: { type: 'string' } },
        'Retry-After': { schema: { type: 'integer' } },
      },
      content: {
        'application/json': { schema },
        'text/event-stream': { schema: { type: 'string', 'x-event-data': schema } },
      },
    },
  },
}
const arrived = (body: unknown, headers: Record<string, string> = {}, status = 200): Arrived => ({
  status,
  headers: new Headers({ 'content-type': 'application/json; charset=utf-8', etag: '"1"', ...headers }),
  bytes: new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body)),
})
const STREAM = { 'content-type': 'text/event-stream' }
const GOOD = { points: [{ lat: 1 }], at: '2026-05-01T15:00:00.000Z' }

test('a response that matches its description passes', () => {
  expect(complaint(operation, arrived(GOOD))).toBeNull()
  expect(complaint(operation, arrived(`id: 1\ndata: ${JSON.stringify(GOOD)}\n\n`, STREAM))).toBeNull()
})

test.each([
  ['a field that is not described', arrived({ ...GOOD, more: 1 })],
  ['one deep inside', arrived({ points: [{ lat: 1, accuracy: 5 }] })],
  ['one in an event', arrived(`data: ${JSON.stringify({ ...GOOD, removed: [] })}\n\n`, STREAM)],
  ['a value out of bounds', arrived({ points: [{ lat: 91 }] })],
  ['a text that has not its format', arrived({ points: [], at: 'yesterday' })],
  ['a missing field', arrived({})],
  ['another status', arrived(GOOD, {}, 201)],
  ['another media type', arrived(GOOD, { 'content-type': 'text/csv' })],
  ['a header that is not described', arrived(GOOD, { location: '/there' })],
  ['a header of another form', arrived(GOOD, { 'retry-after': 'soon' })],
  ['a missing header', { ...arrived(GOOD), headers: new Headers({ 'content-type': 'application/json' }) }],
])('%s is reported', (_, answer) => {
  expect(complaint(operation, answer)).toBeString()
})
