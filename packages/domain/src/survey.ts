/** The survey: answers judged against the questionnaire. Contract section 2. */
import Type, { type Static } from 'typebox'
import { UserId } from './ids'
import { Nullable, OptionalField } from './optional'
import { AnswerReader } from './survey/answer'
import { QUESTION } from './survey/questions'

export { QUESTIONS, Question } from './survey/questions'

const Choices = Type.Array(Type.String())
const Count = Type.Integer({ minimum: 0 })

/** The answers as they are kept. `q3` is kilometres by mode of transport, modes in small letters. */
export const Survey = Type.Object({
  q1: Choices,
  q2: Choices,
  q3: Type.Record(Type.String(), Type.Number({ minimum: 0 })),
  q4: Choices,
  q5: Count,
  q6: Type.String(),
  q7: Count,
  q8: Count,
  q9: Count,
  q10: Type.Union([Type.String(), Type.Null()]),
})
export type Survey = Static<typeof Survey>

/**
 * Body of `POST /submit`; the answers themselves are judged by `judgeSurvey`, the phone by `user/phone`'s rule: null
 * removes it, and left out it stays as it is.
 */
export const SubmitBody = Type.Object({
  userId: UserId,
  answers: Type.Record(Type.String(), Type.Unknown(), {
    description: 'an object with the answers q1 to q10',
  }),
  phone: Type.Optional(
    Nullable(Type.String({ minLength: 1, maxLength: 40 }), 'a phone number, or null to remove it'),
  ),
  consent: OptionalField(Type.Boolean(), 'true or false'),
})
export type SubmitBody = Static<typeof SubmitBody>

/** The answers in their kept form, or a sentence naming the first question whose answer is missing or wrong. */
export function judgeSurvey(answers: unknown): { answers: Survey } | { problem: string } {
  if (typeof answers !== 'object' || answers === null || Array.isArray(answers)) {
    return { problem: 'answers: expected an object with the answers q1 to q10' }
  }
  const reader = new AnswerReader(answers)
  const survey: Survey = {
    q1: reader.choices(QUESTION.q1),
    q2: reader.choices(QUESTION.q2),
    q3: reader.transport(QUESTION.q3),
    q4: reader.choices(QUESTION.q4),
    q5: reader.integer(QUESTION.q5),
    q6: reader.choice(QUESTION.q6),
    q7: reader.integer(QUESTION.q7),
    q8: reader.integer(QUESTION.q8),
    q9: reader.integer(QUESTION.q9),
    q10: reader.text(QUESTION.q10),
  }
  return reader.problem === null ? { answers: survey } : { problem: reader.problem }
}
