import { parseBoundingBox } from '@palanquin/domain/geo'
import { ApiError } from '@palanquin/service/http/api-error'
import Type, { type Static } from 'typebox'
import { decodeCursor } from '../positions/cursor.ts'
import { FORMATS, type Format } from './formats.ts'
import { roundOut } from './round-box.ts'
import type { Question } from './selection.ts'

/** As of any list (contract, section 1). Who wants everybody leaves it out. */
const LIMIT_MAX = 1_000

export const DataQuery = Type.Object({
  bbox: Type.Optional(
    Type.String({
      description: 'west,south,east,north in degrees; west above east crosses the antimeridian',
      examples: ['120.2,23.4,120.8,24.5'],
    }),
  ),
  since: Type.Optional(
    Type.String({ description: 'a cursor that an earlier answer gave: only who has moved since' }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: LIMIT_MAX,
      description: `a whole number between 1 and ${LIMIT_MAX}: so many, in the order in which they moved; the cursor goes on behind them`,
    }),
  ),
  format: Type.Optional(Type.Enum([...FORMATS], { description: 'json (default), geojson or columns' })),
})
export type DataQuery = Static<typeof DataQuery>

/** What a query asks for, or why it cannot be understood. */
export function questionOf(query: DataQuery, { whole }: { whole: boolean }): Question | ApiError {
  const box = query.bbox === undefined ? null : parseBoundingBox(query.bbox)
  if (box && 'error' in box) return new ApiError('invalid', box.error)
  const since = query.since === undefined ? null : decodeCursor(query.since)
  if (query.since !== undefined && since === null)
    return new ApiError('invalid', 'since: expected a cursor that an earlier answer gave')
  return { box, since, limit: query.limit ?? null, whole }
}

/** The same for an event stream: its box is rounded outward to a grid, and it has no limit. */
export function streamQuestionOf(query: DataQuery, caller: { whole: boolean }): Question | ApiError {
  const question = questionOf(query, caller)
  if (question instanceof ApiError) return question
  return { ...question, box: question.box && roundOut(question.box), limit: null }
}

export const formatOf = (query: DataQuery): Format => query.format ?? 'json'
