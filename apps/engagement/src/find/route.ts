import { FIND_PHONE_DIGITS_MIN, FOUND_MAX } from '@palanquin/domain/find'
import { hasForbiddenControl } from '@palanquin/domain/text'
import { ApiError } from '@palanquin/service/http/api-error'
import { callerOf } from '@palanquin/service/http/headers'
import { describe } from '@palanquin/service/http/openapi'
import { text } from '@palanquin/service/http/standard-schema'
import { Elysia } from 'elysia'
import Type, { type Static } from 'typebox'
import { respond } from '../respond.ts'
import { administratorOf } from '../roles/caller.ts'
import { type FindDependencies, find, type Question } from './find.ts'
import { type FoundParticipant, FoundParticipants } from './view.ts'

const SEARCH_CHARACTERS_MAX = 100
const REASON_CHARACTERS_MAX = 300

const EXPECTED = {
  q: `a part of the display name, the whole phone number or at least ${FIND_PHONE_DIGITS_MIN} digits at its end, or a userId`,
  reason: `a text of 1 to ${REASON_CHARACTERS_MAX} characters that says why you look for them; it is noted in the audit`,
}

const FindQuery = Type.Object({
  q: Type.String({
    minLength: 1,
    maxLength: SEARCH_CHARACTERS_MAX,
    description: EXPECTED.q,
    examples: ['林媽媽'],
  }),
  reason: Type.String({
    minLength: 1,
    maxLength: REASON_CHARACTERS_MAX,
    description: EXPECTED.reason,
    examples: ['家屬在大甲服務台找她'],
  }),
})

const EXAMPLE = {
  userId: 'U4af4980629c1f0b8d3e5a7c6b9d0e1f2',
  displayName: '林媽媽',
  phoneMasked: '+886•••••678',
  lastPosition: {
    lat: 24.5663,
    lng: 120.7081,
    recordedAt: '2026-05-01T15:04:30.000Z',
    place: { county: { zh: '苗栗縣', en: 'Miaoli County' }, town: { zh: '通霄鎮', en: 'Tongxiao Township' } },
  },
  battery: 62,
  lost: [
    {
      id: '5c1f0c2e-7b46-4a57-9d0b-0f8e2a6d4b91',
      kind: 'lost',
      status: 'open',
      takenBy: null,
      about: '奶奶,紅色外套,78 歲,在廟口走散',
      createdAt: '2026-05-01T15:00:00.000Z',
    },
  ],
} satisfies FoundParticipant

/** For organisers who look for one person. Web face, section 4. */
export const findRoutes = (dependencies: FindDependencies) =>
  new Elysia({ name: 'find' }).get(
    '/admin/find',
    async ({ request, query }) => {
      const caller = administratorOf(request.headers, 'volunteer')
      if (caller instanceof ApiError) return caller
      const asked = read(query)
      if (asked instanceof ApiError) return asked
      const { requestId } = callerOf(request.headers)
      return respond(await find(dependencies, { ...asked, requestId }, caller))
    },
    {
      query: text(FindQuery),
      detail: describe({
        summary: 'Find a participant: by name, phone number or id',
        description: `At most ${FOUND_MAX}. Who asked, why, and who was shown is in the audit. Volunteers see the phone number masked; managers and owners get the whole one as \`phone\`. While the map is away the position is that of the last flush, without its place.`,
        tags: ['administration'],
        answers: {
          200: {
            description: 'the best matches',
            data: FoundParticipants,
            example: { items: [EXAMPLE], more: false },
          },
        },
        apiErrors: ['invalid', 'unauthorized', 'forbidden', 'unavailable'],
      }),
    },
  )

function read(query: Static<typeof FindQuery>): Omit<Question, 'requestId'> | ApiError {
  const asked = { q: query.q.trim(), reason: query.reason.trim() }
  for (const field of ['q', 'reason'] as const)
    if (asked[field] === '' || hasForbiddenControl(asked[field]))
      return new ApiError('invalid', `${field}: expected ${EXPECTED[field]}`)
  return asked
}
