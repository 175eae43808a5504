import { USER_ID } from '../participants/examples.ts'

/** Examples for the API document; a test sends and compares them. */
export const SUBMISSION = {
  userId: USER_ID,
  answers: {
    q1: ['helped-walkers', '幫忙推嬰兒車'],
    q2: 'hospitality',
    q3: { hsr: 330, bus: 12.5 },
    q4: ['own-cup', 'refilled'],
    q5: 2,
    q6: 'vegetarian',
    q7: 3,
    q8: 4,
    q9: 0,
    q10: '明年再來',
  },
  phone: '0912-345-678',
  consent: true,
}

export const SUBMITTED = {
  userId: USER_ID,
  surveyCompleted: 1,
  carbon: {
    travelKg: 26.209,
    trackedKg: 0,
    waterKg: 0.329,
    recycleKg: -0.011,
    hotelKg: 17.7,
    totalKg: 44.227,
    avoidedKg: 0,
  },
  achievement: { unlocked: false, missing: ['checkins'] },
}
