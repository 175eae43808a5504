import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { createLog } from '@palanquin/service/log'
import { HANG_MS } from '@palanquin/testing/hang'
import { until } from '@palanquin/testing/until'
import { type Stand, startStand } from '../test/stand.ts'
import { schedule } from './schedule.ts'

setDefaultTimeout(HANG_MS)

const log = createLog({ service: 'test', level: 'silent' })
let stand: Stand
beforeAll(async () => {
  stand = await startStand()
})
afterAll(() => stand.close())

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
