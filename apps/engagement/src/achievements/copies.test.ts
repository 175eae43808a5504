import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { consume } from '@palanquin/events/consume'
import { outboxRelay } from '@palanquin/events/outbox-relay'
import { publish } from '@palanquin/events/publish'
import { STREAM_KEY } from '@palanquin/events/stream'
import { createLog } from '@palanquin/service/log'
import { connectRedis, type Redis } from '@palanquin/service/redis'
import type { Part } from '@palanquin/service/run'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { startTestService, type TestService } from '../../test/service.ts'
import { ANSWERS } from '../../test/survey.ts'
import { storeCheckins } from '../../test/track.ts'
import { handlersOf } from '../handlers.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const COPIES = 3
const log = createLog({ service: 'engagement', level: 'silent' })
let service: TestService
const readers: Redis[] = []
const parts: Part[] = []
/** Three copies of the service’s consumer and relay on one bus. */
beforeAll(async () => {
  service = await startTestService()
  const { db, redis, achievements } = service
  for (let copy = 0; copy < COPIES; copy++) {
    const blocking = connectRedis({
      url: service.redisServer?.url ?? '',
      name: `copy-${copy}`,
      log,
      blocking: true,
    })
    readers.push(blocking)
    const handlers = handlersOf({ db, achievements, cache: { drop: async () => {} } })
    parts.push(
      outboxRelay({ db, schema: 'engagement', redis, log }),
      consume({ redis, blocking, group: 'engagement', consumer: `copy-${copy}`, handlers, log }),
    )
  }
  for (const part of parts) await part.start?.()
})
afterAll(async () => {
  await Promise.all(parts.map((part) => part.stop?.()))
  for (const reader of readers) reader.destroy()
  await service.close()
})

const unlocked = async (): Promise<string[]> =>
  ((await service.redis.xRange(STREAM_KEY, '-', '+')) ?? [])
    .filter(({ message }) => message.type === 'achievement.unlocked')
    .map(({ message }) => JSON.parse(message.data ?? '').userId)

const flushed = (userId: string) =>
  publish(service.redis, {
    id: randomUUID(),
    type: 'track.advanced',
    at: new Date().toISOString(),
    data: {
      shard: 0,
      participants: [{ userId, points: 3, checkins: 3, walkedKm: 0, motorizedKm: 0, lastRecordedAt: null }],
    },
  })

test('the bus has each achievement once, whichever copy handles which event and how often', async () => {
  const userIds = Array.from({ length: 12 }, (_, i) => `bus-${i}`)
  await Promise.all(
    userIds.map(async (userId, i) => {
      const submit = () => service.data('/submit', { body: { userId, answers: ANSWERS } })
      const phone = () => service.data('/user/phone', { body: { userId, phone: '0912345678' } })
      const flush = async () => {
        await storeCheckins(service, userId, 3)
        for (let again = 0; again < 3; again++) await flushed(userId)
      }
      // A third of them in each order of which is last, a third all at once.
      if (i % 3 === 0) await Promise.all([flush(), submit(), phone()])
      else for (const step of i % 3 === 1 ? [submit, phone, flush] : [flush, phone, submit]) await step()
    }),
  )
  await until(async () => new Set(await unlocked()).size === userIds.length, {
    what: 'an unlock of each participant',
  })
  // What was published after all of that has been handled as well.
  await service.data('/submit', { body: { userId: 'last', answers: ANSWERS, phone: '0912345678' } })
  await storeCheckins(service, 'last', 3)
  await flushed('last')
  await until(async () => (await unlocked()).includes('last'), { what: 'the unlock of the last' })
  expect((await unlocked()).toSorted()).toEqual([...userIds, 'last'].toSorted())
})
