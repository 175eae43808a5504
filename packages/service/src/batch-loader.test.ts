import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { BatchLoader } from './batch-loader.ts'

/** Answers with what it was asked, and remembers which questions came together. */
function echo(atOnce: number) {
  const companies: number[][] = []
  const askAll = async (questions: readonly number[]) => {
    companies.push([...questions])
    return questions.map((question) => question * 2)
  }
  return { together: new BatchLoader({ askAll, atOnce }), companies }
}

test('everybody gets their own answer, those of a turn together, as many as may be, in their order', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer(), { minLength: 1, maxLength: 60 }),
      fc.integer({ min: 1, max: 20 }),
      async (questions, atOnce) => {
        const { together, companies } = echo(atOnce)
        const answers = await Promise.all(questions.map((question) => together.ask(question)))
        expect(answers).toEqual(questions.map((question) => question * 2))
        expect(companies.flat()).toEqual(questions)
        expect(companies.length).toBe(Math.ceil(questions.length / atOnce))
      },
    ),
    { seed: 1, numRuns: 50 },
  )
})

test('what is asked in a later turn goes by itself, also while the first is under way', async () => {
  const { together, companies } = echo(10)
  const first = [together.ask(1), together.ask(2)]
  await new Promise((turn) => setTimeout(turn, 5))
  expect(await Promise.all([...first, together.ask(3)])).toEqual([2, 4, 6])
  expect(companies).toEqual([[1, 2], [3]])
})

test('a failure is told to those of its call alone', async () => {
  const askAll = async (questions: readonly number[]) => {
    if (questions.includes(0)) throw new Error('no nought')
    return questions
  }
  const together = new BatchLoader({ askAll, atOnce: 2 })
  const outcomes = await Promise.allSettled([1, 0, 2, 3].map((question) => together.ask(question)))
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled', 'fulfilled'])
})

test('too few answers are a failure for all, not an answer to the wrong question', async () => {
  const together = new BatchLoader({ askAll: async () => ['only one'], atOnce: 5 })
  const outcomes = await Promise.allSettled([together.ask('a'), together.ask('b')])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
})
