import { afterAll, beforeAll, expect, test } from 'bun:test'
import { whilePostgresIsSuspended } from '@palanquin/stack/testing/suspend'
import { startThrowawayStack, storePid, type ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { until } from '@palanquin/testing/until'

const CHECKINS = 40

let stack: ThrowawayStack
beforeAll(async () => {
  stack = await startThrowawayStack()
})
afterAll(() => stack.close())

async function checkInAll(prefix: string): Promise<string[]> {
  const userIds = Array.from({ length: CHECKINS }, (_, index) => `${prefix}-${index}`)
  for (const [index, userId] of userIds.entries()) {
    const { status } = await stack.api.post('/checkin', { userId, lat: 23.7 + index / 1000, lng: 120.43 })
    expect(status).toBe(202)
  }
  return userIds
}

const expectStored = (userIds: readonly string[]) =>
  until(
    async () => {
      const rows =
        await stack.sql`SELECT user_id FROM tracking.all_points WHERE user_id IN ${stack.sql(userIds)}`
      return rows.length === userIds.length && new Set(rows.map((row) => row.user_id)).size === rows.length
    },
    { what: 'every check-in in PostgreSQL, once' },
  )

test.skipIf(process.platform !== 'linux')(
  'PostgreSQL stopped: check-ins go on, health answers and reports it, nothing is lost',
  async () => {
    const isWell = async () => Bun.deepMatch({ status: 'ok', d1: 'ok' }, await stack.api.health())
    await until(isWell, { what: 'health ok' })
    const userIds = await whilePostgresIsSuspended(stack.home, async () => {
      const isReported = async () =>
        Bun.deepMatch({ status: 'degraded', d1: 'error', kv: 'ok' }, await stack.api.health())
      await until(isReported, { what: 'd1: error, and nothing else' })
      return checkInAll('stopped')
    })
    await expectStored(userIds)
    await until(async () => (await stack.api.health()).d1 === 'ok', { what: 'd1: ok again' })
  },
)

test('PostgreSQL killed: the supervisor restarts it on its address, and nothing is lost', async () => {
  const before = storePid(stack.home, 'postgres')
  process.kill(before, 'SIGKILL')
  const userIds = await checkInAll('killed')
  await until(() => storePid(stack.home, 'postgres') !== before, { what: 'another PostgreSQL' })
  await expectStored(userIds)
  await until(async () => (await stack.api.health()).status === 'ok', { what: 'health ok' })
})
