import { expect, test } from 'bun:test'
import { verifySurvey } from '../survey'
import { surveyInWords } from './in-words'
import { QUESTIONS } from './questions'

const outcome = verifySurvey({
  q1: ['shared-food', '幫忙推嬰兒車'],
  q2: [],
  q3: { hsr: 330, 牛車: 2 },
  q4: 'own-cup',
  q5: 2,
  q6: 'vegetarian',
  q7: 0,
  q8: 4,
  q9: 0,
  q10: '明年再來',
})

test('known choices are in both languages as people saw them, own words as they were written', () => {
  if ('problem' in outcome) throw new Error(outcome.problem)
  const words = surveyInWords(outcome.answers)
  expect(words.map(({ id }) => id)).toEqual(QUESTIONS.map(({ id }) => id))
  expect(words[0]).toEqual({
    id: 'q1',
    question: {
      zh: '這趟進香途中，您做過或看見了哪些善行？',
      en: 'Which good deeds did you do, or see others do, along the way?',
    },
    answer: [
      { zh: '準備茶水、點心與人結緣', en: 'Offered food and drink to strangers' },
      { zh: '幫忙推嬰兒車', en: '幫忙推嬰兒車' },
    ],
  })
  expect(words[1]?.answer).toEqual([])
  expect(words[2]?.answer).toEqual([
    { zh: '高鐵 330 公里', en: 'High-speed rail 330 km' },
    { zh: '牛車 2 公里', en: '牛車 2 km' },
  ])
  expect(words[4]?.answer).toEqual([{ zh: '2', en: '2' }])
  expect(words[9]?.answer).toEqual([{ zh: '明年再來', en: '明年再來' }])
  expect(surveyInWords({ ...outcome.answers, q10: null })[9]?.answer).toEqual([])
})
