/** The survey: answers validated against the questionnaire. Contract section 2. */
import Type, { type Static } from 'typebox'
import { UserId } from './ids'
import { Nullable, OptionalField } from './optional'
import { AnswerReader } from './survey/answer'
import { QUESTION } from './survey/questions'

export { QUESTIONS, Question } from './survey/questions'

const Choices = (description: string) => Type.Array(Type.String(), { description })
const Count = (description: string) => Type.Integer({ minimum: 0, description })

/** The answers as they are stored. `q3` is kilometres by mode of transport, modes in lower case. */
export const Survey = Type.Object({
  q1: Choices('good deeds done or seen on the way'),
  q2: Choices('what moved them most'),
  q3: Type.Record(Type.String(), Type.Number({ minimum: 0 }), {
    description: 'transport there and back: kilometres by mode',
  }),
  q4: Choices('what they did for the environment'),
  q5: Count('hotel nights'),
  q6: Type.String({ description: 'meals' }),
  q7: Count('bottles of water bought'),
  q8: Count('bottles recycled'),
  q9: Count('earlier participations'),
  q10: Nullable(Type.String(), 'a comment'),
})
export type Survey = Static<typeof Survey>

const OwnChoices = (description: string) =>
  Type.Union(
    [Type.Array(Type.String({ maxLength: 200 }), { maxItems: 20 }), Type.String({ maxLength: 200 })],
    { description: `${description}: an array of at most 20 texts of at most 200 characters, or one text` },
  )
const Numeral = (description: string, maximum: number) =>
  Type.Union([Type.Integer({ minimum: 0, maximum }), Type.String({ pattern: '^\\s*\\d+\\s*$' })], {
    description: `${description}: a whole number from 0 to ${maximum}, also as a text`,
  })

/** The answers as a client sends them; `verifySurvey` validates them by the questionnaire. */
const AnswersInput = Type.Object(
  {
    q1: OwnChoices('good deeds done or seen on the way'),
    q2: OwnChoices('what moved you most'),
    q3: Type.Union(
      [
        Type.Record(Type.String(), Type.Union([Type.Number({ minimum: 0 }), Type.String()])),
        Type.String({ maxLength: 200 }),
      ],
      {
        description:
          'transport there and back: kilometres by mode (walk, car, scooter, bike, bus, mrt, train, hsr; any other counts as bus), or one mode, whose kilometres are not known',
      },
    ),
    q4: OwnChoices('what you did for the environment'),
    q5: Numeral('hotel nights', 60),
    q6: Type.String({ maxLength: 200, description: 'meals: one choice, or own words' }),
    q7: Numeral('bottles of water bought', 1_000),
    q8: Numeral('bottles recycled', 1_000),
    q9: Numeral('earlier participations', 200),
    q10: OptionalField(Type.String({ maxLength: 1_000 }), 'a comment of at most 1,000 characters'),
  },
  { description: 'the answers to the questions of GET /survey' },
)

/** Body of `POST /submit`. The phone is as in `/user/phone`: null removes it. */
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

/** `SubmitBody` with its answers, for the API document. */
export const SubmitDocument = Type.Object({ ...SubmitBody.properties, answers: AnswersInput })

/** The answers to store, or a sentence naming the first that is missing or wrong. */
export function verifySurvey(answers: unknown): { answers: Survey } | { problem: string } {
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
