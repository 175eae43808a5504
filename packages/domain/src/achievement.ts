/** The achievement card: unlocked when all three conditions hold. Specification 2.3. */
import Type, { type Static } from 'typebox'

export const ACHIEVEMENT_CHECKINS_MIN = 3

/** What may be missing, in the order of the response. */
export const ACHIEVEMENT_NEEDS = ['checkins', 'survey', 'phone'] as const

export const Achievement = Type.Object(
  {
    unlocked: Type.Boolean({ description: 'whether nothing is missing' }),
    missing: Type.Array(Type.Enum([...ACHIEVEMENT_NEEDS]), {
      description: 'what it still takes: three check-ins, the survey, a phone number',
    }),
  },
  { description: 'the achievement card' },
)
export type Achievement = Static<typeof Achievement>

/** Whether the card is unlocked, and what is still missing. */
export function achievement(of: {
  checkins: number
  surveyCompleted: boolean
  hasPhone: boolean
}): Achievement {
  const met = {
    checkins: of.checkins >= ACHIEVEMENT_CHECKINS_MIN,
    survey: of.surveyCompleted,
    phone: of.hasPhone,
  }
  const missing = ACHIEVEMENT_NEEDS.filter((need) => !met[need])
  return { unlocked: missing.length === 0, missing }
}
