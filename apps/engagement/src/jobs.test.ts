import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { createLog } from '@palanquin/service/log'
import { schedule } from '@palanquin/service/schedule'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { startTestService, type TestService } from '../test/service.ts'
import { jobsOf } from './jobs.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const log = createLog({ service: 'test', level: 'silent' })
let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

test('an unfinished end is finished, and a key that Redis lost is restored', async () => {
  await service.activity.store.end('owner')
  const part = schedule(log, jobsOf({ engagement: service, db: service.db }))
  await part.start?.()
  await until(async () => (await service.outbox()).some(({ type }) => type === 'activity.ended'), {
    what: 'the event of the end',
  })
  await service.redis.del('activity')
  await until(() => service.redis.get('activity'), { what: 'the key' })
  await part.stop?.()
  expect((await service.outbox()).map(({ type }) => type)).toEqual(['activity.changed', 'activity.ended'])
})
