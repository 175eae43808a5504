import { Density, densityOf, parseTile, type Tile } from '@palanquin/domain/density'
import type { Place } from '@palanquin/domain/geo'
import { ApiError } from '@palanquin/service/http/api-error'
import { ok } from '@palanquin/service/http/app'
import { describe } from '@palanquin/service/http/openapi'
import { publicBody, publicResponse } from '@palanquin/service/http/public-response'
import { text } from '@palanquin/service/http/standard-schema'
import { memoize } from '@palanquin/service/memoize'
import { Elysia } from 'elysia'
import Type from 'typebox'

/** How long a density is kept, here and by any cache: it is counted once in this time for all readers (web face, section 4). */
const MAX_AGE_S = 5
/** Tiles that are kept for that time: a screen has some ten. */
const TILES_MAX = 500

const EXAMPLE: Density = {
  cellDegrees: 0.0025,
  west: 120.5,
  south: 23.9,
  x: [0, 1, 4],
  y: [0, 0, 2],
  n: [12, 340, 7],
}

const Query = Type.Object({
  z: Type.Optional(
    Type.String({ description: 'zoom of a web map tile, 6 to 17; left out, the whole activity' }),
  ),
  x: Type.Optional(Type.String({ description: 'column of the tile' })),
  y: Type.Optional(Type.String({ description: 'row of the tile' })),
})

type Crowd = {
  isReady: () => boolean
  /** Everybody who may be counted in public: with consent, not withdrawn, no device of a beacon. */
  countedPlaces: () => Iterable<Place>
  /** Cells with fewer people are left out. */
  countMin: () => number
}

/** `GET /density`: how many people are where, by cells of at least three. */
export const densityRoutes = ({ isReady, countedPlaces, countMin }: Crowd) => {
  const bodyOf = memoize(
    async (key: string) =>
      publicBody(JSON.stringify(ok(densityOf(countedPlaces(), tileOf(key), countMin())))),
    { ttlMs: MAX_AGE_S * 1_000, keysMax: TILES_MAX },
  )
  return new Elysia({ name: 'density' }).get(
    '/density',
    async ({ query }) => {
      const tile = parseTile(query)
      if (tile !== null && 'error' in tile) return new ApiError('invalid', tile.error)
      if (!isReady())
        return new ApiError('unavailable', 'The map is being loaded; please try again in a moment.')
      return publicResponse(await bodyOf(keyOf(tile)), { maxAgeS: MAX_AGE_S })
    },
    {
      query: text(Query),
      detail: describe({
        summary: 'Density of the crowd, by cells',
        description:
          'How many people with consent, whatever their visibility, are in each cell; cells with fewer than three are left out. Of a web map tile (`z`, `x`, `y`), or of the whole activity. The same bytes for everybody, so a CDN may answer it.',
        tags: ['GPS'],
        answers: {
          200: {
            description: 'the cells, from south-west to north-east',
            data: Density,
            example: EXAMPLE,
            headers: ['ETag'],
          },
          304: { description: 'it is what you have', headers: ['ETag'] },
        },
        apiErrors: ['invalid', 'unavailable'],
      }),
    },
  )
}

const WHOLE = ''
const keyOf = (tile: Tile | null): string => (tile === null ? WHOLE : `${tile.z}/${tile.x}/${tile.y}`)

function tileOf(key: string): Tile | null {
  if (key === WHOLE) return null
  const [z = 0, x = 0, y = 0] = key.split('/').map(Number)
  return { z, x, y }
}
