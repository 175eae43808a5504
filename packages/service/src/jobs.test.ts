import { expect, test } from 'bun:test'
import { until } from '@palanquin/testing/until'
import { StoreUnavailable } from './http/api-error.ts'
import { jobs } from './jobs.ts'
import { createLog } from './log.ts'

const log = createLog({ service: 'test', level: 'silent' })

test('a job goes on after a lost store and after a bug, and never runs over itself', async () => {
  let runs = 0
  let atOnce = 0
  let atOnceMax = 0
  const part = jobs(log, [
    {
      name: 'job',
      everyMs: 1,
      run: async () => {
        atOnceMax = Math.max(atOnceMax, ++atOnce)
        await Bun.sleep(3)
        atOnce--
        runs++
        if (runs % 3 === 1) throw new StoreUnavailable('database')
        if (runs % 3 === 2) throw new TypeError('a bug')
      },
    },
  ])
  await part.start?.()
  await until(() => runs >= 7, { what: 'the seventh run' })
  await part.stop?.()
  expect(atOnceMax).toBe(1)
  expect(atOnce).toBe(0)
  const stopped = runs
  await Bun.sleep(20)
  expect(runs).toBe(stopped)
})
