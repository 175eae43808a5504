import type { Database } from '@palanquin/db/client'
import type { Place } from '@palanquin/domain/geo'
import { describe } from '@palanquin/service/http/openapi'
import { Refusal } from '@palanquin/service/http/refusal'
import { text } from '@palanquin/service/http/standard-schema'
import { textStream } from '@palanquin/service/http/text-stream'
import type { Log } from '@palanquin/service/log'
import { Elysia } from 'elysia'
import Type from 'typebox'
import { clustersOf } from './latest.ts'
import { ClustersQuery, questionOf } from './question.ts'
import { MEDIA_TYPE, render } from './render.ts'
import { storedClusters } from './stored.ts'

const Answer = Type.Object({
  zoom: Type.Integer({ minimum: 0, maximum: 20 }),
  cellDegrees: Type.Number({
    description: 'the side of a cell of the grid: 90 degrees at zoom 0, half at each next',
  }),
  clusters: Type.Array(
    Type.Object({
      lat: Type.Number({ description: 'the mean of the points in the cell' }),
      lng: Type.Number(),
      count: Type.Integer({ minimum: 1 }),
    }),
  ),
})

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
  live: { isWhole: () => boolean; places: () => Iterable<Place> }
  log: Log
}

/** `GET /admin/clusters`: where the crowd is, in cells of a grid. */
export const clustersRoutes = ({ db, live, log }: Options) =>
  new Elysia({ name: 'clusters' }).get(
    '/admin/clusters',
    ({ query }) => {
      const question = questionOf(query)
      if (question instanceof Refusal) return question
      const { of = 'latest', format = 'json' } = query
      if (of === 'latest' && !live.isWhole())
        return new Refusal('unavailable', 'The map is being read in; please try again in a moment.')
      const parts = of === 'all' ? storedClusters(db, question) : [clustersOf(live.places(), question)]
      return textStream(render(format, question.zoom, parts), {
        headers: { 'content-type': MEDIA_TYPE[format], 'cache-control': 'no-store' },
        log,
      })
    },
    {
      query: text(ClustersQuery),
      detail: describe({
        summary: 'Positions counted by grid cell',
        description:
          'The counts add up to the points inside the box, at every zoom. `latest` counts everybody once, within 2 s of the arrival of a point; `all` counts every stored point, as of the last flush.',
        tags: ['Administration'],
        answers: {
          200: {
            description: 'the clusters, from south to north',
            data: Answer,
            example: EXAMPLE,
            media: { 'application/geo+json': undefined },
          },
        },
        refusals: ['invalid', 'unavailable'],
      }),
    },
  )
