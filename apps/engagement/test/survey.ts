import { verifySurvey } from '@palanquin/domain/survey'
import type { TestService } from './service.ts'

/** Answers that the questionnaire takes, for tests that are about something else. */
export const ANSWERS = {
  q1: ['helped-walkers', '幫忙推嬰兒車'],
  q2: 'hospitality',
  q3: { hsr: 330, bus: 12.5 },
  q4: [],
  q5: 2,
  q6: 'vegetarian',
  q7: 3,
  q8: 4,
  q9: 0,
}

/** The answers as stored. */
export function normalized(answers: object) {
  const verdict = verifySurvey(answers)
  return 'answers' in verdict ? verdict.answers : null
}

/** All rows and events of a participant that a submission may write. */
export async function storedSurvey({ sql }: Pick<TestService, 'sql'>, userId: string) {
  const [row] = await sql`SELECT * FROM engagement.participants WHERE user_id = ${userId}`
  const history =
    await sql`SELECT answers, submitted_at FROM engagement.survey_history WHERE user_id = ${userId} ORDER BY id`
  const consents =
    await sql`SELECT consent, version, recorded_at FROM engagement.consent_history WHERE user_id = ${userId} ORDER BY id`
  const events =
    await sql`SELECT type, data FROM engagement.outbox WHERE data->>'userId' = ${userId} ORDER BY seq`
  return { row, history: [...history], consents: [...consents], events: [...events] }
}
