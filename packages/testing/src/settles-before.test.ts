import { expect, test } from 'bun:test'
import { settlesBefore } from './settles-before.ts'

const sleepThen = (ms: number, fail = false) =>
  Bun.sleep(ms).then(() => (fail ? Promise.reject(new Error('too bad')) : 'done'))

test('a shorter deadline is first, also when nothing ran for longer than both', async () => {
  const verdicts = [settlesBefore(sleepThen(20), 60), settlesBefore(sleepThen(20, true), 60)]
  Bun.sleepSync(200)
  expect(await Promise.all(verdicts)).toEqual([true, true])
})

test('a longer one, and one that never comes, are not', async () => {
  const verdicts = [settlesBefore(sleepThen(60), 20), settlesBefore(new Promise(() => {}), 20)]
  Bun.sleepSync(200)
  expect(await Promise.all(verdicts)).toEqual([false, false])
})
