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

const answer = (description: string, schema: unknown) => ({
  description,
  content: { 'application/json': { schema } },
})
const get = (operationId: string, summary: string, responses: Record<string, unknown>) => ({
  get: { operationId, summary, tags: ['System'], responses, security: [] },
})

/** What the gateway answers itself, outside of the prefix. */
export const SYSTEM_PATHS = {
  '/health': get('getHealth', 'The state of the stores and of the activity', {
    200: answer('always, and within a second', Health),
  }),
  '/ready': get('getReady', 'Whether every part can serve', {
    200: answer('it can', Readiness),
    503: answer('a part cannot', Readiness),
  }),
  '/openapi.json': get('getOpenapi', 'This document', { 200: answer('OpenAPI 3.1', Type.Object({})) }),
}
