import { LEVELS } from '@palanquin/domain/level'
import { ParticipantStatus } from '@palanquin/domain/participant'
import { hasForbiddenControl } from '@palanquin/domain/text'
import { INSTANT_EXPECTED, toIso } from '@palanquin/domain/time'
import { ApiError } from '@palanquin/service/http/api-error'
import { pageQuery } from '@palanquin/service/http/paging'
import Type, { type Static } from 'typebox'
import { instantOf } from '../timeline/range.ts'
import type { ListStores, Wanted } from './list.ts'
import { circleOf, NEAR_EXPECTED, type ReadWithin } from './near.ts'
import { orderOf, SORT_WORDS } from './order.ts'

const SEARCH_CHARACTERS_MAX = 100

/** The query of the organisers' list. */
export const ParticipantsQuery = Type.Object({
  q: Type.Optional(
    Type.String({
      maxLength: SEARCH_CHARACTERS_MAX,
      description: `a text of at most ${SEARCH_CHARACTERS_MAX} characters: a user id or its beginning, a part of the display name in any script and case, or at least three digits of the phone number`,
    }),
  ),
  status: Type.Optional(ParticipantStatus),
  level: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: LEVELS.length,
      description: `a level from 1 to ${LEVELS.length}, or 0 for those who have none yet`,
    }),
  ),
  near: Type.Optional(
    Type.String({
      maxLength: 80,
      description: `${NEAR_EXPECTED}: who was last seen there, by the live map`,
      examples: ['24.5663,120.7081,2'],
    }),
  ),
  silentSince: Type.Optional(
    Type.String({
      maxLength: 64,
      description: `${INSTANT_EXPECTED}: from whom nothing came since`,
      examples: ['2026-05-01T15:00:00.000Z'],
    }),
  ),
  sort: Type.Optional(
    Type.Enum(SORT_WORDS, {
      description: `one of ${SORT_WORDS.join(', ')} (- for the other end first; createdAt if left out)`,
    }),
  ),
  format: Type.Optional(Type.Enum(['json', 'csv'], { description: 'json (default) or csv' })),
  ...pageQuery,
})

/** What a query asks for; an ApiError names the field. @throws StoreUnavailable while the map is away */
export async function wantedBy(
  { readWithin }: Pick<ListStores, 'readWithin'>,
  { q = '', status, level, sort, near: circle, silentSince }: Static<typeof ParticipantsQuery>,
  requestId: string,
): Promise<Wanted | ApiError> {
  const searched = q.trim()
  if (hasForbiddenControl(searched))
    return new ApiError('invalid', 'q: expected a text without control characters')
  const order = orderOf(sort ?? 'createdAt')
  if (!order) return new ApiError('invalid', `sort: expected one of ${SORT_WORDS.join(', ')}`)
  const silent = instantOf(silentSince)
  if (Number.isNaN(silent)) return new ApiError('invalid', `silentSince: expected ${INSTANT_EXPECTED}`)
  const near = circle === undefined ? undefined : await nearBy(readWithin, circle, requestId)
  if (near instanceof ApiError) return near
  return {
    filter: {
      q: searched === '' ? undefined : searched,
      status,
      level,
      near,
      silentSince: silent === null ? undefined : toIso(silent),
    },
    order: order.name,
    isDescending: order.isDescending,
    requestId,
  }
}

async function nearBy(readWithin: ReadWithin, near: string, requestId: string) {
  const circle = circleOf(near)
  return circle instanceof ApiError ? circle : readWithin(circle, requestId)
}
