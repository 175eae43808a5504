import { StoreUnavailable } from '@palanquin/service/http/api-error'
import { ok } from '@palanquin/service/http/app'
import { etagOf } from '@palanquin/service/http/etag'
import { describe } from '@palanquin/service/http/openapi'
import { Elysia } from 'elysia'
import type { HasLine } from './features.ts'
import type { Projection } from './projection.ts'
import { type EventFacts, PublicActivity, publicActivity } from './public.ts'

/** `max-age` for clients and CDNs. */
const CACHED_S = 5

const EXAMPLE: PublicActivity = {
  status: 'paused',
  since: '2026-05-01T15:00:00.000Z',
  message: { zh: '媽祖駐駕休息，明早五點再出發。', en: 'Resting for the night. We go on at five.' },
  name: { zh: '白沙屯媽祖進香', en: 'Baishatun Mazu Pilgrimage' },
  dates: '2026.4.12 – 4.20',
  startsAt: '2026-04-12T15:50:00.000Z',
  endsAt: null,
  timezone: 'Asia/Taipei',
  bounds: { west: 120.1, south: 23.4, east: 121, north: 24.8 },
  features: { line: true, auth: false, survey: true, photos: true },
  consentVersion: '1',
}

type Options = {
  projection: Pick<Projection, 'latest' | 'project'>
  facts: () => EventFacts
  hasLine: HasLine
  /** USER_AUTH=line or session. */
  auth: boolean
  now: () => number
}

/** The public activity, served from memory, so that it is right while a store is away. */
export const publicActivityRoutes = ({ projection, facts, hasLine, auth, now }: Options) => {
  let made = { text: '', etag: '' }
  /** Serialized once per change. */
  const bytesOf = (activity: PublicActivity) => {
    const text = JSON.stringify(ok(activity))
    if (text !== made.text) made = { text, etag: etagOf(text) }
    return made
  }
  return new Elysia({ name: 'public-activity' }).get(
    '/activity',
    async () => {
      if (projection.latest() === null) await projection.project()
      const latest = projection.latest()
      if (latest === null) throw new StoreUnavailable('relational store')
      const features = { line: await hasLine(), auth }
      const { text, etag } = bytesOf(publicActivity(latest, { facts: facts(), features, nowMs: now() }))
      return new Response(text, {
        headers: {
          'content-type': 'application/json; charset=utf-8',
          'cache-control': `public, max-age=${CACHED_S}`,
          etag,
        },
      })
    },
    {
      detail: describe({
        summary: 'The activity: status, message, name, dates, place, and what is offered',
        description:
          'The same bytes for all callers, so that a CDN may serve it. Before `startsAt` the status is `upcoming`, and check-ins are taken all the same (a rehearsal). `message` is what the organisers say while it is paused.',
        tags: ['system'],
        answers: {
          200: { description: 'the activity', data: PublicActivity, example: EXAMPLE, headers: ['ETag'] },
          304: { description: 'not modified', headers: ['ETag'] },
        },
        apiErrors: ['unavailable'],
      }),
    },
  )
}
