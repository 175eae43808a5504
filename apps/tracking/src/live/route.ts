import { ApiError } from '@palanquin/service/http/api-error'
import { acceptsGzip } from '@palanquin/service/http/gzip-whole'
import { callerOf } from '@palanquin/service/http/headers'
import { describe } from '@palanquin/service/http/openapi'
import { text } from '@palanquin/service/http/standard-schema'
import { Elysia } from 'elysia'
import type { EventStreams } from './event-streams/event-streams.ts'
import { formatOf, MapQueryParams, parseMapQuery, parseStreamQuery } from './responses/query.ts'
import type { MapResponses } from './responses/responses.ts'
import { MapData, MapEvents, MapFeatures } from './responses/schema.ts'
import { unregisteredRoutes } from './unregistered.ts'

/** The lowest tier that sees hidden participants, and everyone's `userId` (contract section 3). */
const ADMIN_TIER = 2

const EXAMPLE = {
  points: [
    {
      id: 'q3J5bC1rT0aZ8kYw',
      lat: 24.1477,
      lng: 120.6736,
      accuracy: 8,
      recordedAt: '2026-04-17T14:05:00.000Z',
      level: 2,
      displayName: '阿明',
    },
  ],
  cursor: 'AZ2P…',
  total: 1,
}

const notReady = new ApiError('unavailable', 'The map is loading; please try again in a moment.')

const visibilityFor = (request: Request) => ({
  includeHidden: callerOf(request.headers).tier >= ADMIN_TIER,
})

type Live = {
  responses: MapResponses
  streams: EventStreams
  unregistered: () => string[]
  isReady: () => boolean
}

/** `GET /data` and `GET /data/stream`: the latest position of every participant. */
export const liveRoutes = ({ responses, streams, unregistered, isReady }: Live) =>
  new Elysia({ name: 'live' })
    .use(unregisteredRoutes(unregistered))
    .get(
      '/data',
      ({ query: params, request }) => {
        const query = parseMapQuery(params, visibilityFor(request))
        if (query instanceof ApiError) return query
        if (!isReady()) return notReady
        return responses.respond(formatOf(params), query, { acceptsGzip: acceptsGzip(request.headers) })
      },
      {
        query: text(MapQueryParams),
        detail: describe({
          summary: 'The latest position of every participant on the map',
          description:
            'Of participants who have given consent and have not withdrawn, under a pseudonym, within 2 s of the arrival of a point. With an admin token (manager, owner): of all participants, with the userId. `columns` holds integer arrays (a millionth of a degree, epoch milliseconds, level 0 for none) for maps of 100,000. With `since` only participants who moved, gave consent or came back since that cursor, and in `removed` those to remove from the map; a response with `reset` is the whole map instead. `limit` returns so many in the order of their movements, and a cursor that continues after them. A `bbox` or a `limit` may get a 503 with Retry-After under load.',
          tags: ['GPS'],
          answers: {
            200: {
              description: 'the positions',
              data: MapData,
              example: EXAMPLE,
              media: { 'application/geo+json': MapFeatures },
              headers: ['Vary', 'Content-Encoding'],
            },
          },
          apiErrors: ['invalid', 'tooMany', 'unavailable'],
        }),
      },
    )
    .get(
      '/data/stream',
      ({ query: given, request }) => {
        const lastEventId = request.headers.get('last-event-id')
        const params = lastEventId ? { ...given, since: lastEventId } : given
        const query = parseStreamQuery(params, visibilityFor(request))
        if (query instanceof ApiError) return query
        if (!isReady()) return notReady
        return streams.open(formatOf(params), query)
      },
      {
        query: text(MapQueryParams),
        detail: describe({
          summary: 'The same as server-sent events',
          description:
            'First the whole map, with `reset` (or the changes since `since` or `Last-Event-ID`), then every second who moved and who is `removed`. The id of each event is a cursor. An address follows 20 streams at a time (429 beyond that). A stream ends after about 15 minutes, or when its client does not read for 15 s, and says by `retry:` when to come back. `limit` has no effect. A `bbox` is rounded outward to a grid of an eighth of its longer side (600 m at least), so that many maps share one event. A client that reads nothing for 15 s is disconnected.',
          tags: ['GPS'],
          answers: {
            200: { description: 'events named `points`', media: { 'text/event-stream': MapEvents } },
          },
          apiErrors: ['invalid', 'tooMany', 'unavailable'],
        }),
      },
    )
