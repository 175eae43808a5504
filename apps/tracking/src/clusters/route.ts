import type { Database } from '@palanquin/db/client'
import type { Place } from '@palanquin/domain/geo'
import { ApiError } from '@palanquin/service/http/api-error'
import { callerOf } from '@palanquin/service/http/headers'
import { describe } from '@palanquin/service/http/openapi'
import { text } from '@palanquin/service/http/standard-schema'
import { textStream } from '@palanquin/service/http/text-stream'
import type { Log } from '@palanquin/service/log'
import { Elysia } from 'elysia'
import { boundedTurns, withinTurn } from '../bounded-queue.ts'
import { clustersOf } from './latest.ts'
import { ClustersQuery, type Question, questionOf } from './query.ts'
import { MEDIA_TYPE, render } from './render.ts'
import { ClusterFeatures, Clusters } from './schema.ts'
import { storedClusters } from './stored.ts'

const EXAMPLE = {
  zoom: 12,
  cellDegrees: 0.02197265625,
  clusters: [
    { lat: 24.1406, lng: 120.6753, count: 1204 },
    { lat: 24.1533, lng: 120.6831, count: 86 },
  ],
}

type Options = {
  db: Database
  /** The latest position of everybody, as this process knows it. */
  live: {
    isWhole: () => boolean
    places: () => Iterable<Place & { userId: string }>
    hasWithdrawn: (userId: string) => boolean
  }
  log: Log
}

/** The tier from which on the means of cells are shown, at any zoom, of everybody (contract section 5). */
const FINE_TIER = 2
/** Each looks at every position, or has PostgreSQL count millions of points. */
const AT_ONCE = 1
const WAITING_MAX = 8

/** `GET /admin/clusters`: where the crowd is, in cells of a grid. */
export const clustersRoutes = ({ db, live, log }: Options) => {
  const turns = boundedTurns({
    atOnce: AT_ONCE,
    waitingMax: WAITING_MAX,
    sentence: 'Too many clusters are being counted right now; please try again in a moment.',
  })
  const latest = function* (question: Question) {
    const places = live.places()
    yield clustersOf(question.coarse ? remaining(places, live.hasWithdrawn) : places, question)
  }
  return new Elysia({ name: 'clusters' }).get(
    '/admin/clusters',
    async ({ query, request }) => {
      const question = questionOf(query, { coarse: callerOf(request.headers).tier < FINE_TIER })
      if (question instanceof ApiError) return question
      const { of = 'latest', format = 'json' } = query
      if (of === 'latest' && !live.isWhole())
        return new ApiError('unavailable', 'The map is being read in; please try again in a moment.')
      const turn = await turns.take()
      if (turn instanceof ApiError) return turn
      const parts = of === 'all' ? storedClusters(db, question) : latest(question)
      return textStream(withinTurn(turn, render(format, question.zoom, parts)), {
        headers: { 'content-type': MEDIA_TYPE[format], 'cache-control': 'no-store' },
        log,
      })
    },
    {
      query: text(ClustersQuery),
      detail: describe({
        summary: 'Positions counted by grid cell',
        description:
          'The counts add up to the points inside the box, at every zoom. A volunteer sees zoom 14 at most, the centres of cells, and nobody who has withdrawn. `latest` counts everybody once, within 2 s of the arrival of a point; `all` counts every stored point, as of the last flush.',
        tags: ['Administration'],
        answers: {
          200: {
            description: 'the clusters, from south to north',
            data: Clusters,
            example: EXAMPLE,
            media: { 'application/geo+json': ClusterFeatures },
          },
        },
        apiErrors: ['invalid', 'unavailable'],
      }),
    },
  )
}

function* remaining<P extends { userId: string }>(
  places: Iterable<P>,
  hasWithdrawn: (userId: string) => boolean,
): Generator<P> {
  for (const place of places) if (!hasWithdrawn(place.userId)) yield place
}
