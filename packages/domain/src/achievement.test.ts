import { expect, test } from 'bun:test'
import { achievement } from './achievement'

test('the card is unlocked by three check-ins, the survey and a phone number, all three', () => {
  const all = { checkins: 3, surveyCompleted: true, hasPhone: true }
  expect(achievement(all)).toEqual({ unlocked: true, missing: [] })
  expect(achievement({ ...all, checkins: 2 })).toEqual({ unlocked: false, missing: ['checkins'] })
  expect(achievement({ ...all, surveyCompleted: false })).toEqual({ unlocked: false, missing: ['survey'] })
  expect(achievement({ ...all, hasPhone: false })).toEqual({ unlocked: false, missing: ['phone'] })
})

test('everything missing is listed, in a fixed order', () => {
  const none = { checkins: 0, surveyCompleted: false, hasPhone: false }
  expect(achievement(none)).toEqual({ unlocked: false, missing: ['checkins', 'survey', 'phone'] })
})

for (const [checkins, enough] of [
  [2, false],
  [3, true],
  [4, true],
] as const)
  test(`${checkins} check-ins are ${enough ? '' : 'not '}enough, and then the survey and the phone number decide`, () => {
    for (const surveyCompleted of [false, true])
      for (const hasPhone of [false, true])
        expect(achievement({ checkins, surveyCompleted, hasPhone }).unlocked).toBe(
          enough && surveyCompleted && hasPhone,
        )
  })
