import { expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  ALONE,
  BATCH_BYTES_MAX,
  CALLS_PER_BATCH_MAX,
  fitsBatch,
  inBatches,
  readAnswers,
  readCalls,
  writeAnswers,
  writeCalls,
} from './batch.ts'

test('calls and answers come apart as they were put together', () => {
  const calls = [
    { requestId: 'a-1', userId: 'U1', json: '{"userId":"U1","note":"a b  c \\n 媽祖"}' },
    { requestId: 'b_2', userId: '', json: '{}' },
    { requestId: 'c', userId: 'U-3', json: ' { "userId": "U-3" } ' },
  ]
  expect(readCalls(writeCalls(calls))).toEqual(calls)
  const answers = [
    { status: 202, retryAfter: '', json: '{"ok":true,"data":{"id":"1 2"}}', isNew: true },
    { status: 503, retryAfter: '5', json: '{"error":"later"}', isNew: false },
  ]
  expect(readAnswers(writeAnswers(answers), 2)).toEqual(answers)
  const late = [...answers, ALONE, ...answers] as const
  expect(readAnswers(writeAnswers(late), 5)).toEqual([...late])
})

test('a body with a line end, or a long one, travels alone: it could pass for two calls', () => {
  expect(fitsBatch('{"userId":"U1"}')).toBe(true)
  expect(fitsBatch('{"userId":\n"U1"}')).toBe(false)
  expect(fitsBatch(JSON.stringify({ note: 'x'.repeat(40_000) }))).toBe(false)
})

test('answers that are cut off, too few, too many or something else are none', () => {
  const two = '202  {}\n202  {}\n'
  expect(readAnswers(two, 2)).toHaveLength(2)
  for (const text of [
    two.slice(0, -1),
    '202  {}\n',
    `${two}202  {}\n`,
    '{"ok":true}\n{}\n',
    '',
    '99  {}\n202  {}\n',
    '202++  {}\n202  {}\n',
    '+202  {}\n202  {}\n',
  ])
    expect(readAnswers(text, 2)).toBeUndefined()
})

test('calls that are cut off, or lack an id or the place of a userId, are none', () => {
  for (const text of ['a  {}', '  {}\n', 'a{}\n', 'a {}\n', 'a  {}\n\n'])
    expect(readCalls(text)).toBeUndefined()
})

test('calls are cut into batches that each fit what a service takes, in their order', () => {
  const call = fc.record({
    requestId: fc.constant('r'.repeat(64)),
    userId: fc.constant('U'.repeat(64)),
    json: fc.integer({ min: 2, max: 32_768 }).map((length) => '媽'.repeat(length)),
  })
  fc.assert(
    fc.property(fc.array(call, { maxLength: 40 }), fc.integer({ min: 1, max: 600 }), (long, short) => {
      const calls = [
        ...long,
        ...Array.from({ length: short }, (_, at) => ({ requestId: `${at}`, userId: '', json: '{}' })),
      ]
      const batches = inBatches(calls)
      expect(batches.flat()).toEqual(calls)
      for (const batch of batches) {
        expect(batch.length).toBeLessThanOrEqual(CALLS_PER_BATCH_MAX)
        expect(Buffer.byteLength(writeCalls(batch))).toBeLessThanOrEqual(BATCH_BYTES_MAX)
      }
    }),
    { seed: 20260422, numRuns: 40 },
  )
})
