import { expect, test } from 'bun:test'
import { Check } from 'typebox/value'
import { QUESTIONS, Question, Survey, verifySurvey } from './survey'

const answers = {
  q1: ['helped-walkers', '幫忙推鑾轎'],
  q2: 'hospitality',
  q3: { hsr: 330, bus: 12.5 },
  q4: [],
  q5: 2,
  q6: 'vegetarian',
  q7: '3',
  q8: 0,
  q9: 200,
  q10: '明年再來',
}

function problem(changes: Record<string, unknown>): string | null {
  const verdict = verifySurvey({ ...answers, ...changes })
  return 'problem' in verdict ? verdict.problem : null
}

function stored(changes: Record<string, unknown>): Survey | null {
  const verdict = verifySurvey({ ...answers, ...changes })
  return 'answers' in verdict ? verdict.answers : null
}

test('the questionnaire is ten questions in order, in both languages, with the bounds of the contract', () => {
  expect(QUESTIONS.map(({ id }) => id)).toEqual(['q1', 'q2', 'q3', 'q4', 'q5', 'q6', 'q7', 'q8', 'q9', 'q10'])
  expect(QUESTIONS.map(({ type }) => type)).toEqual([
    'choices',
    'choices',
    'transport',
    'choices',
    'integer',
    'choice',
    'integer',
    'integer',
    'integer',
    'text',
  ])
  expect(QUESTIONS.map(({ max }) => max)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
    60,
    undefined,
    1000,
    1000,
    200,
    1000,
  ])
  expect(QUESTIONS.filter(({ required }) => !required).map(({ id }) => id)).toEqual(['q10'])
  expect(QUESTIONS.filter((question) => !Check(Question, question))).toEqual([])
  for (const { choices = [] } of QUESTIONS)
    expect(new Set(choices.map(({ value }) => value)).size).toBe(choices.length)
})

test('answers are stored in one form, whatever form was sent', () => {
  const verdict = verifySurvey(answers)
  expect(verdict).toEqual({ answers: { ...answers, q2: ['hospitality'], q7: 3 } })
  expect('answers' in verdict && Check(Survey, verdict.answers)).toBe(true)
})

test('a missing answer is named, but the comment may be left out', () => {
  for (const { id, required } of QUESTIONS) {
    for (const nothing of [undefined, null, '']) {
      const said = problem({ [id]: nothing })
      if (required) expect(said).toStartWith(`${id}: expected `)
      else expect(said).toBeNull()
    }
  }
  expect(stored({ q10: '  ' })?.q10).toBeNull()
})

test('the first wrong answer in the order of the questions is named', () => {
  expect(problem({ q9: -1, q5: 61 })).toBe('q5: expected a whole number from 0 to 60')
})

test('choices are at most 20 texts of at most 200 characters', () => {
  expect(stored({ q1: Array(20).fill('好'.repeat(200)) })?.q1.length).toBe(20)
  const bad = [Array(21).fill('a'), ['好'.repeat(201)], [''], ['a', 7], 7, { a: 1 }, true]
  expect(bad.map((q1) => problem({ q1 })?.slice(0, 13))).toEqual(bad.map(() => 'q1: expected '))
})

test('one choice is one text', () => {
  expect(stored({ q6: ['吃鹹粥'] })?.q6).toBe('吃鹹粥')
  expect([['a', 'b'], [], 7, {}].map((q6) => problem({ q6 }) === null)).toEqual([false, false, false, false])
})

for (const [id, max] of [
  ['q5', 60],
  ['q7', 1000],
  ['q8', 1000],
  ['q9', 200],
] as const)
  test(`${id} takes 0 to ${max}, both included, and nothing beyond either`, () => {
    for (const count of [0, 1, max - 1, max]) {
      expect(stored({ [id]: count })?.[id]).toBe(count)
      expect(stored({ [id]: String(count) })?.[id]).toBe(count)
    }
    for (const count of [-1, max + 1, String(max + 1), 0.5, null])
      expect(problem({ [id]: count })).toBe(`${id}: expected a whole number from 0 to ${max}`)
  })

test('the comment has at most 1000 characters, counted as a reader counts them', () => {
  expect(stored({ q10: '好'.repeat(1000) })?.q10).toHaveLength(1000)
  expect(stored({ q10: '👩‍👩‍👧‍👦'.repeat(1000) })?.q10).toBeString()
  expect(problem({ q10: '好'.repeat(1001) })).toBe('q10: expected a text of at most 1000 characters')
})

test('counts are whole numbers within their bounds, or their numerals', () => {
  expect(stored({ q5: '60', q7: ' 1000 ', q8: 5.0, q9: '0' })).toMatchObject({
    q5: 60,
    q7: 1000,
    q8: 5,
    q9: 0,
  })
  const bad: unknown[] = [61, -1, 1.5, '1.5', '-1', '1e1', '0x1', 'two', Number.NaN, [1], true, {}]
  expect(bad.filter((q5) => problem({ q5 }) === null)).toEqual([])
  expect([problem({ q7: 1001 }), problem({ q8: 1001 }), problem({ q9: 201 })].includes(null)).toBe(false)
})

test('kilometres of a mode go from 0 to 80,000, both included, fractions too', () => {
  for (const km of [0, 0.001, 80_000]) {
    expect(stored({ q3: { bus: km } })?.q3).toEqual({ bus: km })
    expect(stored({ q3: { bus: String(km) } })?.q3).toEqual({ bus: km })
  }
  for (const km of [-0.001, 80_000.001]) expect(problem({ q3: { bus: km } })).toStartWith('q3: expected ')
})

test('transport is kilometres by mode, in small letters; a single mode has unknown kilometres', () => {
  expect(stored({ q3: { ' HSR': '330', hsr: 1, 漁船: 3.5 } })?.q3).toEqual({ hsr: 331, 漁船: 3.5 })
  expect(stored({ q3: 'Train' })?.q3).toEqual({ train: 0 })
  expect(stored({ q3: {} })?.q3).toEqual({})
  const bad = [
    { bus: -1 },
    { bus: 'far' },
    { bus: null },
    { bus: 80_001 },
    { '': 1 },
    ['bus'],
    7,
    { bus: Number.NaN },
  ]
  expect(bad.filter((q3) => problem({ q3 }) === null)).toEqual([])
  expect(problem({ q3: Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`m${i}`, 1])) })).toStartWith(
    'q3: expected ',
  )
})

test('a mode with a name of JavaScript is a mode like any other', () => {
  const verdict = stored({ q3: JSON.parse('{"__proto__": 5, "constructor": 2}') })
  expect(Object.entries(verdict?.q3 ?? {})).toEqual([
    ['__proto__', 5],
    ['constructor', 2],
  ])
})

test('answers that are not an object are rejected', () => {
  expect([null, [], 'q1', 7].map((given) => 'problem' in verifySurvey(given))).toEqual([
    true,
    true,
    true,
    true,
  ])
})
