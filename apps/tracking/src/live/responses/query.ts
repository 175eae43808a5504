import { parseBoundingBox } from '@palanquin/domain/geo'
import { ApiError } from '@palanquin/service/http/api-error'
import Type, { type Static } from 'typebox'
import { decodeCursor } from '../positions/cursor.ts'
import { FORMATS, type Format } from './formats.ts'
import { roundBoxOutward } from './round-box.ts'
import type { MapQuery } from './selection.ts'

/** As of any list (contract, section 1). Without a limit everything is returned. */
const LIMIT_MAX = 1_000

export const MapQueryParams = Type.Object({
  bbox: Type.Optional(
    Type.String({
      description: 'west,south,east,north in degrees; west above east crosses the antimeridian',
      examples: ['120.2,23.4,120.8,24.5'],
    }),
  ),
  since: Type.Optional(
    Type.String({ description: 'the cursor of an earlier response: only participants who moved since' }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: LIMIT_MAX,
      description: `a whole number between 1 and ${LIMIT_MAX}: at most so many, in the order of their movements; the cursor continues after them`,
    }),
  ),
  format: Type.Optional(Type.Enum([...FORMATS], { description: 'json (default), geojson or columns' })),
})
export type MapQueryParams = Static<typeof MapQueryParams>

/** The query of `GET /data`, or what is wrong with it. */
export function parseMapQuery(
  params: MapQueryParams,
  { includeHidden }: { includeHidden: boolean },
): MapQuery | ApiError {
  const box = params.bbox === undefined ? null : parseBoundingBox(params.bbox)
  if (box && 'error' in box) return new ApiError('invalid', box.error)
  const since = params.since === undefined ? null : decodeCursor(params.since)
  if (params.since !== undefined && since === null)
    return new ApiError('invalid', 'since: expected a cursor that an earlier answer gave')
  return { box, since, limit: params.limit ?? null, includeHidden }
}

/** The query of an event stream: its box is rounded outward to a grid, and it has no limit. */
export function parseStreamQuery(
  params: MapQueryParams,
  caller: { includeHidden: boolean },
): MapQuery | ApiError {
  const query = parseMapQuery(params, caller)
  if (query instanceof ApiError) return query
  return { ...query, box: query.box && roundBoxOutward(query.box), limit: null }
}

export const formatOf = (params: MapQueryParams): Format => params.format ?? 'json'
