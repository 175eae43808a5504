import { UserId } from '@palanquin/domain/ids'
import { Nullable } from '@palanquin/domain/optional'
import { surveyInWords } from '@palanquin/domain/survey/in-words'
import { ApiError } from '@palanquin/service/http/api-error'
import { callerOf } from '@palanquin/service/http/headers'
import { describe } from '@palanquin/service/http/openapi'
import { text } from '@palanquin/service/http/standard-schema'
import { Elysia } from 'elysia'
import Type from 'typebox'
import { SUBMISSION } from '../../export/example.ts'
import { AnswersInWords } from '../../export/schema.ts'
import { respond } from '../../respond.ts'
import { roleOf } from '../../roles/caller.ts'
import { PARTICIPANT, ParticipantItem } from './item.ts'
import type { ListStores } from './list.ts'
import { readRows } from './rows.ts'

const OneParticipant = Type.Object({
  ...ParticipantItem.properties,
  survey: Nullable(AnswersInWords, 'the current answers in the words that people saw; null without any'),
})

/** One participant of the organisers' list, with the survey in words. Web face, section 4. */
export const oneParticipantRoute = (stores: ListStores) =>
  new Elysia({ name: 'one participant' }).get(
    '/admin/users/:userId',
    async ({ request, params: { userId } }) => {
      const role = roleOf(request.headers, 'manager')
      if (role instanceof ApiError) return role
      const unregistered = (await stores.findUnregistered(userId)).filter((one) => one === userId)
      const { requestId } = callerOf(request.headers)
      const [row] = await readRows(stores, [userId], { unregistered, requestId })
      if (!row) return new ApiError('notFound', 'No participant of this userId is known.')
      return respond({ ...row.item, survey: row.survey && surveyInWords(row.survey) })
    },
    {
      params: text(Type.Object({ userId: UserId })),
      detail: describe({
        summary: 'One participant',
        description: 'The item of the list, and the current answers of the survey in words.',
        tags: ['administration'],
        answers: {
          200: {
            description: 'the participant',
            data: OneParticipant,
            example: { ...PARTICIPANT, surveyCompleted: 1, survey: SUBMISSION.answers },
          },
        },
        apiErrors: ['invalid', 'unauthorized', 'forbidden', 'notFound', 'unavailable'],
      }),
    },
  )
