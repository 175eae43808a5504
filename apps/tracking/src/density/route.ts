import { crowdOf, Density, densityOf, parseTile, type Tile } from '@palanquin/domain/density'
import type { Place } from '@palanquin/domain/geo'
import { ApiError } from '@palanquin/service/http/api-error'
import { ok } from '@palanquin/service/http/app'
import { describe } from '@palanquin/service/http/openapi'
import { type PublicBody, publicBody, publicResponse } from '@palanquin/service/http/public-response'
import { text } from '@palanquin/service/http/standard-schema'
import { memoize } from '@palanquin/service/memoize'
import { Elysia } from 'elysia'
import Type from 'typebox'

/** How long a density is kept, here and by any cache: it is counted once in this time for all readers (web face, section 4). */
const MAX_AGE_S = 5
/** Tiles that are kept for that time: a screen has some ten. Another one is put together in less than half a millisecond. */
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
  /** Everybody who is counted in public. */
  countedPlaces: () => Iterable<Place>
  /** Cells with fewer people are left out. */
  countMin: () => number
}

/** `GET /density`: how many people are where, by cells of at least three. */
export const densityRoutes = ({ isReady, countedPlaces, countMin }: Crowd) => {
  const counted = memoize(
    async () => ({ crowd: crowdOf(countedPlaces(), countMin()), bodies: new Map<string, PublicBody>() }),
    { ttlMs: MAX_AGE_S * 1_000 },
  )
  /** Of one count for all tiles: two of them never differ by who moved in between. */
  const bodyOf = async (tile: Tile | null): Promise<PublicBody> => {
    const { crowd, bodies } = await counted()
    const key = tile === null ? '' : `${tile.z}/${tile.x}/${tile.y}`
    const known = bodies.get(key)
    if (known) return known
    const body = publicBody(JSON.stringify(ok(densityOf(crowd, tile))))
    if (bodies.size < TILES_MAX) bodies.set(key, body)
    return body
  }
  return new Elysia({ name: 'density' }).get(
    '/density',
    async ({ query }) => {
      const tile = parseTile(query)
      if (tile !== null && 'error' in tile) return new ApiError('invalid', tile.error)
      if (!isReady())
        return new ApiError('unavailable', 'The map is being loaded; please try again in a moment.')
      return publicResponse(await bodyOf(tile), { maxAgeS: MAX_AGE_S })
    },
    {
      query: text(Query),
      detail: describe({
        summary: 'Density of the crowd, by cells',
        description:
          'How many people with consent and not `hidden` are in each cell of 0.0025 degrees; cells with fewer than three are left out. Of a web map tile (`z`, `x`, `y`: the cells whose centre it has), or of the whole activity. Somebody is counted from 15 minutes after their first point arrived. The same bytes for everybody, so a CDN may answer it.',
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
