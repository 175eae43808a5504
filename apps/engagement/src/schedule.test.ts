import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { StoreUnavailable } from '@palanquin/service/http/refusal'
import { createLog } from '@palanquin/service/log'
import { until } from '@palanquin/testing/until'
import { type Stand, startStand } from '../test/stand.ts'
import { jobs, schedule } from './schedule.ts'

// Real servers start on a busy machine.
setDefaultTimeout(60_000)

const log = createLog({ service: 'test', level: 'silent' })
let stand: Stand
beforeAll(async () => {
  stand = await startStand()
})
afterAll(() => stand.close())

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

test('an end that nobody finishes is finished, and a key that Redis lost is back', async () => {
  await stand.activity.store.end('owner')
  const part = schedule({ engagement: stand, db: stand.db, log })
  await part.start?.()
  await until(async () => (await stand.outbox()).some(({ type }) => type === 'activity.ended'), {
    what: 'the end is told',
  })
  await stand.redis.del('activity')
  await until(() => stand.redis.get('activity'), { what: 'the key' })
  await part.stop?.()
  expect((await stand.outbox()).map(({ type }) => type)).toEqual(['activity.changed', 'activity.ended'])
})
