import { expect, test } from 'bun:test'
import { capturedLog } from '@palanquin/testing/captured-log'
import { until } from '@palanquin/testing/until'
import { StoreUnavailable } from './http/api-error.ts'
import { createLog } from './log.ts'
import { type Job, schedule } from './schedule.ts'

const log = createLog({ service: 'test', level: 'silent' })

/** Counts its runs and how many of them were under way at once. */
function failing(when: { everyMs: number } | { cron: string }) {
  const seen = { runs: 0, now: 0, nowMax: 0 }
  const job: Job = {
    name: 'job',
    ...when,
    run: async () => {
      seen.nowMax = Math.max(seen.nowMax, ++seen.now)
      await Bun.sleep(3)
      seen.now--
      seen.runs++
      if (seen.runs % 3 === 1) throw new StoreUnavailable('database')
      if (seen.runs % 3 === 2) throw new TypeError('a bug')
    },
  }
  return { seen, job }
}

test('a job goes on after a lost store and after a bug, never runs over itself, and ends with stop', async () => {
  const { seen, job } = failing({ everyMs: 1 })
  const part = schedule(log, [job])
  await part.start?.()
  await until(() => seen.runs >= 7, { what: 'the seventh run' })
  await part.stop?.()
  expect(seen).toMatchObject({ now: 0, nowMax: 1 })
  const { runs } = seen
  await Bun.sleep(20)
  expect(seen.runs).toBe(runs)
})

test('a cron job goes on after a failure, and ends with stop', async () => {
  const { seen, job } = failing({ cron: '* * * * * *' })
  const part = schedule(log, [job])
  await part.start?.()
  expect(seen.runs).toBe(0)
  await until(() => seen.runs >= 3, { what: 'the third run' })
  await part.stop?.()
  const { runs } = seen
  await Bun.sleep(1_500)
  expect(seen.runs).toBe(runs)
})

test('a cron job that is due while it still runs is left out', async () => {
  const gate = Promise.withResolvers<void>()
  let begun = 0
  let ticks = 0
  const slow = () => {
    begun++
    return gate.promise
  }
  const part = schedule(log, [
    { name: 'slow', cron: '* * * * * *', run: slow },
    { name: 'ticks', cron: '* * * * * *', run: async () => void ticks++ },
  ])
  await part.start?.()
  await until(() => ticks >= 3, { what: 'three ticks' })
  expect(begun).toBe(1)
  gate.resolve()
  await part.stop?.()
})

test('a bug is an error in the log, a lost store is not', async () => {
  const { log, lines } = capturedLog()
  const { seen, job } = failing({ everyMs: 1 })
  const part = schedule(log, [job])
  await part.start?.()
  await until(() => seen.runs >= 2, { what: 'two failures' })
  await part.stop?.()
  expect(lines.slice(0, 2)).toMatchObject([
    { event: 'job.postponed', level: 'debug', job: 'job' },
    { event: 'job.failed', level: 'error', job: 'job', err: { message: 'a bug' } },
  ])
})
