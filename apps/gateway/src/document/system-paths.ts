import Type from 'typebox'

const State = Type.Enum(['ok', 'error'])
const Health = Type.Object({
  status: Type.Enum(['ok', 'degraded', 'ended']),
  d1: State,
  kv: State,
  r2: State,
  last_flush: Type.Union([Type.String(), Type.Null()], {
    description: 'ISO 8601 UTC; null before the first',
  }),
  buffer_size: Type.Integer({ description: 'points that wait for the flush' }),
})
const Readiness = Type.Object({ ok: Type.Boolean(), service: Type.String(), parts: Type.Object({}) })

const HEALTH = {
  status: 'ok',
  d1: 'ok',
  kv: 'ok',
  r2: 'ok',
  last_flush: '2026-05-01T15:00:00.000Z',
  buffer_size: 0,
}
const READY = { ok: true, service: 'gateway', parts: {} }

const answer = (description: string, schema: unknown, example: unknown) => ({
  description,
  content: { 'application/json': { schema, example } },
})
const get = (operationId: string, summary: string, responses: Record<string, unknown>) => ({
  get: { operationId, summary, tags: ['System'], responses, security: [] },
})

/** What the gateway answers itself, outside of the prefix. */
export const SYSTEM_PATHS = {
  '/health': get('getHealth', 'The state of the stores and of the activity', {
    200: answer('always, and within a second', Health, HEALTH),
  }),
  '/ready': get('getReady', 'Whether every part can serve', {
    200: answer('it can', Readiness, READY),
    503: answer('a part cannot', Readiness, { ...READY, ok: false }),
  }),
  '/openapi.json': get('getOpenapi', 'This document', {
    200: answer('OpenAPI 3.1', Type.Object({}), { openapi: '3.1.0' }),
  }),
}
