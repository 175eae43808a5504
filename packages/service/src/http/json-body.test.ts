import { expect, test } from 'bun:test'
import { HOSTILE_BODIES } from '@palanquin/testing/hostile-bodies'
import { processorMs } from '@palanquin/testing/processor-time'
import { ApiError } from './api-error.ts'
import { readJsonText } from './json-body.ts'

/** Contract section 1: no body costs a service more. */
const PROCESSOR_MS_MAX = 5
/** Half of them are for the compiler to get to know the code. */
const BODIES = 40

const isRefused = (text: string): boolean => {
  try {
    readJsonText(text)
    return false
  } catch (error) {
    if (error instanceof ApiError && error.code === 'invalid') return true
    throw error
  }
}

test.each(HOSTILE_BODIES)(
  '$name: read or refused for less than 5 ms of processor',
  ({ text, isRefused: refused }) => {
    const texts = Array.from({ length: BODIES }, (_, turn) => text(turn))
    for (const one of texts.splice(0, BODIES / 2)) isRefused(one)
    const outcomes: boolean[] = []
    // The least of all: what other threads and other programs add is not the body's.
    const costs = texts.map((one) => processorMs(() => outcomes.push(isRefused(one))))
    expect(Math.min(...costs)).toBeLessThan(PROCESSOR_MS_MAX)
    expect(new Set(outcomes)).toEqual(new Set([refused]))
  },
)

test('an unknown name of 100,000 letters and underscores stays as it is', () => {
  const name = 'a_'.repeat(50_000)
  expect(readJsonText(JSON.stringify({ [name]: 1, user_id: 'U1' }))).toEqual({ [name]: 1, userId: 'U1' })
})
