import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { startThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { findPgBouncer, startPgBouncer } from '@palanquin/testing/pgbouncer'
import { testDatabase } from '@palanquin/testing/postgres'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'

setDefaultTimeout(TEST_TIMEOUT_MS)
const program = await findPgBouncer()
const opened: { close: () => Promise<void> }[] = []
afterAll(async () => {
  for (const { close } of opened.reverse()) await close()
})

test.skipIf('problem' in program)(
  'a whole activity runs behind a plain PgBouncer in transaction mode',
  async () => {
    if ('problem' in program) throw new Error(program.problem)
    const database = await testDatabase({ migrated: false })
    opened.push(database)
    const pooler = await startPgBouncer(program, database.url)
    opened.push(pooler)
    const stack = await startThrowawayStack({ DATABASE_URL: pooler.url })
    opened.push(stack)
    const { api, sql } = stack
    const people = Array.from({ length: 20 }, (_, n) => `U${n}`)
    await Promise.all(
      people.map(async (userId) => {
        expect((await api.post('/privacy', { userId, consent: true })).status).toBe(200)
        expect((await api.post('/checkin', { userId, lat: 24.3457, lng: 120.6238 })).status).toBe(202)
      }),
    )
    await until(
      async () => {
        const [stored] = await sql<{ n: number }[]>`SELECT count(*)::int AS n FROM tracking.all_points`
        return stored?.n === people.length
      },
      { what: 'every check-in in PostgreSQL' },
    )
    const profiles = await Promise.all(people.map((userId) => api.get(`/user/${userId}`)))
    expect(profiles.map(({ status }) => status)).toEqual(people.map(() => 200))
    expect(JSON.stringify(profiles[0]?.body)).toContain('"checkins":1')
    expect((await api.health()).status).toBe('ok')
  },
)
