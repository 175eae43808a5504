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
