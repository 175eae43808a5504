import { Nullable } from '@palanquin/domain/optional'
import { Iso } from '@palanquin/domain/time'
import type { ApiErrorCode } from '@palanquin/service/http/api-error'
import { type HeaderName, headersOf } from '@palanquin/service/http/openapi-headers'
import Type, { type TSchema } from 'typebox'
import { errorResponses, withGatewayHeaders } from './responses.ts'

const state = (store: string) => Type.Enum(['ok', 'error'], { description: `${store}: ok or error` })
const Health = Type.Object({
  status: Type.Enum(['ok', 'degraded', 'ended'], {
    description: 'ended after the end of the activity, degraded while a store is in error, else ok',
  }),
  d1: state('the relational store'),
  kv: state('the key-value buffer'),
  r2: state('the object store'),
  last_flush: Nullable(Iso, 'when the buffer was last flushed; null before the first'),
  buffer_size: Type.Integer({ minimum: 0, description: 'points that wait for the flush' }),
})

const isReady = Type.Boolean({ description: 'whether it can serve' })
const note = Type.Optional(Type.String({ description: 'what an operator should know' }))
const Parts = Type.Record(
  Type.String(),
  Type.Object({
    ok: isReady,
    note,
    parts: Type.Optional(
      Type.Record(Type.String(), Type.Object({ ok: isReady, note }), { description: 'its own parts' }),
    ),
  }),
  { description: 'the services and stores, by name' },
)
const Readiness = Type.Object({
  ok: isReady,
  service: Type.Literal('gateway', { description: 'who answers' }),
  parts: Parts,
})

const HEALTH = {
  status: 'ok',
  d1: 'ok',
  kv: 'ok',
  r2: 'ok',
  last_flush: '2026-05-01T15:00:00.000Z',
  buffer_size: 0,
}
const READY = { ok: true, service: 'gateway', parts: { redis: { ok: true } } }

/** The errors of every path of the gateway itself. */
const ERRORS: readonly ApiErrorCode[] = ['invalid', 'forbidden', 'methodNotAllowed', 'tooMany', 'bug']

type Described = { description: string; schema: TSchema; example?: unknown; type?: string }
const answer = (
  { description, schema, example, type = 'application/json' }: Described,
  headers: readonly HeaderName[] = [],
) =>
  withGatewayHeaders(
    {
      description,
      headers: headersOf(headers),
      content: { [type]: { schema, ...(example === undefined ? {} : { example }) } },
    },
    { isCounted: true },
  )

/** Served from memory. */
const OF_ASSETS: readonly HeaderName[] = ['ETag', 'Vary', 'Content-Encoding']
const asset = (described: Described) => ({
  200: answer(described, OF_ASSETS),
  304: withGatewayHeaders(
    { description: 'it is what you have', headers: headersOf(OF_ASSETS) },
    { isCounted: true },
  ),
})

const get = (operationId: string, summary: string, responses: Record<string, unknown>) => ({
  get: {
    operationId,
    summary,
    tags: ['System'],
    responses: { ...errorResponses(ERRORS), ...responses },
    security: [],
  },
})

/** The paths of the gateway itself, outside of the prefix. */
export const SYSTEM_PATHS = {
  '/health': get('getHealth', 'The state of the stores and of the activity', {
    200: answer({ description: 'always, and within a second', schema: Health, example: HEALTH }),
  }),
  '/ready': get('getReady', 'Whether every part can serve', {
    200: answer({ description: 'it can', schema: Readiness, example: READY }),
    503: answer({ description: 'a part cannot', schema: Readiness, example: { ...READY, ok: false } }, [
      'Retry-After',
    ]),
  }),
  '/openapi.json': get(
    'getOpenapi',
    'This document',
    asset({
      description: 'OpenAPI 3.1',
      schema: Type.Object({}, { additionalProperties: true, description: 'this document' }),
      example: { openapi: '3.1.0' },
    }),
  ),
  '/docs': get(
    'getDocs',
    'A page to read this document with',
    asset({ description: 'the page', schema: Type.String(), type: 'text/html' }),
  ),
}
