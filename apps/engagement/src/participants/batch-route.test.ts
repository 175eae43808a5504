import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { ALONE, readAnswers, writeCalls } from '@palanquin/service/http/batch'
import { faultProxy } from '@palanquin/testing/fault-proxy'
import { testDatabase } from '@palanquin/testing/postgres'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { bufferOf } from '../../test/buffer.ts'
import { keysOf, startTestService, type TestService } from '../../test/service.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

/** Longer than the batch waits: whatever ends the wait for a database that stalls, it is not this. */
const NEVER_MS = 600_000

/** On a busy machine any profile may be late and must then be requested alone. */
const WITHOUT_LATE = 'a batch without late profiles'

const opened: { close: () => Promise<void> }[] = []
let service: TestService
let postgres: Awaited<ReturnType<typeof faultProxy>>
beforeAll(async () => {
  const database = await testDatabase()
  postgres = await faultProxy(database.url)
  service = await startTestService({
    databaseUrl: postgres.url,
    deadlineMs: NEVER_MS,
    hasRedisDeadlines: true,
  })
  opened.push(service, postgres, database)
})
afterAll(async () => {
  await postgres.set('pass')
  for (const one of opened) await one.close()
})

const send = (calls: string[]) =>
  service.respond('/internal/profile-batch', {
    body: writeCalls(calls.map((json, at) => ({ requestId: `r-${at}`, userId: '', json }))),
    headers: { 'content-type': 'text/plain' },
  })
/** What each of them is answered in one call. */
async function inOneBatch(userIds: string[]) {
  const response = await send(userIds.map((userId) => JSON.stringify({ userId })))
  expect(response.status).toBe(200)
  return (readAnswers(await response.text(), userIds.length) ?? []).map((one) =>
    one === ALONE ? ALONE : { status: one.status, retryAfter: one.retryAfter, body: JSON.parse(one.json) },
  )
}
const counted = async () => {
  const text = await (await service.respond('/metrics')).text()
  return Number(
    /http_requests_total\{[^}]*route="\/user\/:userId",status="200"[^}]*\} (\d+)/.exec(text)?.[1] ?? 0,
  )
}

test('each request of a batch is counted as if it came alone', async () => {
  for (const userId of ['plain', 'walking', 'also']) await service.data('/user/sync', { body: { userId } })
  const more = await until(
    async () => {
      const before = await counted()
      const answers = await inOneBatch(['plain', 'walking', 'unknown'])
      return !answers.includes(ALONE) && (await counted()) - before
    },
    { what: WITHOUT_LATE },
  )
  expect(more).toBe(2)
})

test('a batch returns each profile as a single request does: cached, buffered, unknown, invalid', async () => {
  await bufferOf(service, 'walking').checkin()
  await bufferOf(service, 'buffered').checkin()
  await service.data('/user/plain')
  const userIds = ['plain', 'walking', 'unknown', 'buffered', 'also', 'no/id', 'walking']
  const answers = await until(
    async () => {
      const answers = await inOneBatch(userIds)
      return !answers.includes(ALONE) && answers
    },
    { what: WITHOUT_LATE },
  )
  for (const [at, userId] of userIds.entries()) {
    const alone = await service.call(`/user/${encodeURIComponent(userId)}`)
    const requestId = `r-${at}`
    const body = alone.status === 200 ? alone.body : { ...alone.body, requestId }
    expect(answers[at]).toEqual({ status: alone.status, retryAfter: '', body })
  }
  expect(answers.map((response) => response !== ALONE && response.status)).toEqual([
    200, 200, 404, 200, 200, 400, 200,
  ])
})

test('a cached profile is passed on as it is in the cache', async () => {
  const passed = await until(
    async () => {
      await service.data('/user/plain')
      const entry = (await service.redis.get(keysOf('plain').statistics)) ?? ''
      const [head, basis, response = ''] = entry.split('\n')
      const other = response.replace('"photos":0', '"photos":3')
      await service.redis.set(keysOf('plain').statistics, [head, basis, other].join('\n'))
      const [answer] = await inOneBatch(['plain'])
      return answer !== ALONE && answer?.body.data.photos === 3
    },
    { what: 'the text of the cache' },
  )
  expect(passed).toBe(true)
  await service.cache.drop('plain')
})

test('many in one batch get their own profiles each: not cached, and then cached; with pending check-ins and without', async () => {
  const people = Array.from({ length: 150 }, (_, at) => ({ userId: `many-${at}`, checkins: at % 3 }))
  for (const { userId, checkins } of people) {
    await service.data('/user/sync', { body: { userId } })
    for (let sent = 0; sent < checkins; sent++) await bufferOf(service, userId).checkin()
  }
  for (let round = 0; round < 2; round++) {
    const answers = await until(
      async () => {
        const answers = await inOneBatch(people.map(({ userId }) => userId))
        return !answers.includes(ALONE) && answers
      },
      { what: WITHOUT_LATE },
    )
    const seen = answers.map((one) => one !== ALONE && one.body.data)
    expect(seen.map(({ userId, checkins }) => ({ userId, checkins }))).toEqual(people)
  }
})

test('while the database stalls, cached profiles are returned and the others must be requested alone', async () => {
  const cached = async () => {
    await service.data('/user/plain')
    return (await service.cache.read('plain'))?.fresh
  }
  await until(cached, { what: 'a cached profile' })
  await postgres.set('stall')
  const answers = await until(
    async () => {
      const tried = await inOneBatch(['plain', 'not-cached'])
      return tried[0] !== ALONE && tried
    },
    { what: 'the cached profile in time' },
  )
  expect(answers).toMatchObject([{ status: 200, body: { data: { userId: 'plain' } } }, ALONE])
  await postgres.set('pass')
})

test('a truncated batch is refused as a whole', async () => {
  const response = await service.respond('/internal/profile-batch', {
    body: 'r-0  {"userId":"plain"}',
    headers: { 'content-type': 'text/plain' },
  })
  expect(response.status).toBe(400)
})
