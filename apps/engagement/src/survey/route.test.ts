import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { Question } from '@palanquin/domain/survey'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import Type from 'typebox'
import Value from 'typebox/value'
import { startTestService, type TestService } from '../../test/service.ts'
import { SUBMISSION, SUBMITTED } from './examples.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

test('the questions come in order, with all that a client needs to draw the form', async () => {
  const { status, headers, body } = await service.call('/survey')
  expect([status, headers.get('cache-control')]).toEqual([200, 'public, max-age=300'])
  const questions = Value.Parse(Type.Object({ questions: Type.Array(Question) }), body.data).questions
  expect(questions.map(({ id }) => id)).toEqual(Array.from({ length: 10 }, (_, i) => `q${i + 1}`))
  for (const { textZh, textEn, type, choices, min, max, ownWords } of questions) {
    expect(textZh).toMatch(/\p{Script=Han}/u)
    expect(textEn).not.toMatch(/\p{Script=Han}/u)
    if (type === 'integer') expect([min, max]).toEqual([0, expect.any(Number)])
    else if (type === 'text') expect(max).toBe(1000)
    else expect([choices?.length, ownWords]).toEqual([expect.any(Number), true])
  }
})

test('the example of the API document is accepted and returns the documented response', async () => {
  expect(await service.data('/submit', { body: SUBMISSION })).toEqual(SUBMITTED)
})
