import { Achievement } from '@palanquin/domain/achievement'
import { Carbon } from '@palanquin/domain/carbon'
import { UserId } from '@palanquin/domain/ids'
import { QUESTIONS, Question, SubmitBody, SubmitDocument } from '@palanquin/domain/survey'
import { ok } from '@palanquin/service/http/app'
import { describe } from '@palanquin/service/http/openapi'
import { body } from '@palanquin/service/http/standard-schema'
import { Elysia } from 'elysia'
import Type from 'typebox'
import { asOwner, type Participants } from '../participants/change.ts'
import { respond } from '../respond.ts'
import { SUBMISSION, SUBMITTED } from './examples.ts'
import { submitSurvey } from './submit.ts'

/** Questions change only with a release. */
const CACHED_S = 300

const Questionnaire = Type.Object({
  questions: Type.Array(Question, { description: 'in the order in which they are asked' }),
})
const Submitted = Type.Object({
  userId: UserId,
  surveyCompleted: Type.Literal(1, { description: 'it is completed' }),
  carbon: Carbon,
  achievement: Achievement,
})

const tags = ['participants']
const submitting = (path: string) =>
  describe({
    summary: `Submit the survey${path === '/survey' ? ' (the same as /submit)' : ''}`,
    description:
      'All of q1 to q9 must be answered. A second submission replaces the first; both are stored. A phone number and a consent do what their own endpoints do, together with the answers or not at all. Refused after the end of the activity.',
    tags,
    body: SubmitDocument,
    example: SUBMISSION,
    answers: {
      200: {
        description: 'carbon and achievement after the submission',
        data: Submitted,
        example: SUBMITTED,
      },
    },
    apiErrors: ['invalid', 'forbidden', 'unavailable'],
  })

/** Questions and submissions of the survey. Contract section 2. */
export const surveyRoutes = (participants: Participants) => {
  const submit = async (call: { body: SubmitBody; request: Request }) => {
    const outcome = await submitSurvey(participants, await asOwner(participants, call))
    return respond(outcome)
  }
  return new Elysia({ name: 'survey' })
    .get(
      '/survey',
      ({ set }) => {
        set.headers['cache-control'] = `public, max-age=${CACHED_S}`
        return ok({ questions: QUESTIONS })
      },
      {
        detail: describe({
          summary: 'The questions of the survey, in order',
          description:
            'With their kind, texts, choices and bounds, to draw a form from. Besides the choices, own words are taken where `ownWords` says so.',
          tags,
          answers: {
            200: { description: 'the questionnaire', data: Questionnaire, example: { questions: QUESTIONS } },
          },
        }),
      },
    )
    .post('/submit', submit, { body: body(SubmitBody), detail: submitting('/submit') })
    .post('/survey', submit, { body: body(SubmitBody), detail: submitting('/survey') })
}
