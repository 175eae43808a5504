import type { Database } from '@palanquin/db/client'
import type { Place } from '@palanquin/domain/geo'
import { ApiError } from '@palanquin/service/http/api-error'
import { callerOf } from '@palanquin/service/http/headers'
import { describe } from '@palanquin/service/http/openapi'
import { text } from '@palanquin/service/http/standard-schema'
import { textStream } from '@palanquin/service/http/text-stream'
import type { Log } from '@palanquin/service/log'
import { Elysia } from 'elysia'
import { createBoundedQueue, releaseAfter } from '../bounded-queue.ts'
import { clustersOf } from './latest.ts'
import { type ClustersQuery, ClustersQueryParams, parseClustersQuery } from './query.ts'
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
  live: {
    isReady: () => boolean
    /** The latest position of every participant, without the devices of beacons. */
    crowd: () => Iterable<Place & { userId: string }>
    hasWithdrawn: (userId: string) => boolean
  }
  log: Log
}

/** The lowest tier that sees the means of cells, at any zoom, with the withdrawn (contract section 5). */
const FINE_TIER = 2
/** Each request scans every position, or has PostgreSQL count millions of points. */
const CONCURRENCY = 1
const WAITING_MAX = 8

/** `GET /admin/clusters`: positions counted by grid cell. */
export const clustersRoutes = ({ db, live, log }: Options) => {
  const queue = createBoundedQueue({
    concurrency: CONCURRENCY,
    waitingMax: WAITING_MAX,
    busyMessage: 'Too many clusters are being counted right now; please try again in a moment.',
  })
  const latest = function* (query: ClustersQuery) {
    const positions = live.crowd()
    yield clustersOf(query.isCoarse ? remaining(positions, live.hasWithdrawn) : positions, query)
  }
  return new Elysia({ name: 'clusters' }).get(
    '/admin/clusters',
    async ({ query: params, request }) => {
      const query = parseClustersQuery(params, { isCoarse: callerOf(request.headers).tier < FINE_TIER })
      if (query instanceof ApiError) return query
      const { of = 'latest', format = 'json' } = params
      if (of === 'latest' && !live.isReady())
        return new ApiError('unavailable', 'The map is loading; please try again in a moment.')
      const release = await queue.acquire()
      if (release instanceof ApiError) return release
      const parts = of === 'all' ? storedClusters(db, query) : latest(query)
      return textStream(releaseAfter(release, render(format, query.zoom, parts)), {
        headers: { 'content-type': MEDIA_TYPE[format], 'cache-control': 'no-store' },
        log,
      })
    },
    {
      query: text(ClustersQueryParams),
      detail: describe({
        summary: 'Positions counted by grid cell',
        description:
          'The counts add up to the points inside the box, at every zoom. A volunteer sees zoom 14 at most, the centres of cells, and no withdrawn participants. `latest` counts every participant once, within 2 s of the arrival of a point, but for those whose device carries a beacon; `all` counts every stored point, as of the last flush.',
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
  positions: Iterable<P>,
  hasWithdrawn: (userId: string) => boolean,
): Generator<P> {
  for (const position of positions) if (!hasWithdrawn(position.userId)) yield position
}
