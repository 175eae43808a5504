import { connectDatabase, type Database } from '@palanquin/db/client'
import type { DomainEvent } from '@palanquin/domain/events'
import { createLog } from '@palanquin/service/log'
import { connectRedis, type Redis } from '@palanquin/service/redis'
import type { Part } from '@palanquin/service/run'
import { testDatabase } from '@palanquin/testing/postgres'
import { testRedis } from '@palanquin/testing/redis'
import type { TestServer } from '@palanquin/testing/server'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'

/** For this package's tests: a real PostgreSQL and Redis, clients on them. */
export type TestBus = {
  server: TestServer
  databaseUrl: string
  db: Database
  redis: Redis
  /** One more client, closed with the bus. */
  connect: (options?: { blocking?: boolean; url?: string }) => Redis
  /** Starts a part and stops it with the bus. */
  run: <P extends Part>(part: P) => P
  /** How often each event had its effect, by event id. */
  effects: () => Promise<Map<string, number>>
  insertOutbox: (events: readonly Pick<DomainEvent, 'type' | 'data'>[]) => Promise<string[]>
  close: () => Promise<void>
}

export const silentLog = createLog({ service: 'test', level: process.env.TEST_LOG_LEVEL ?? 'silent' })

/** Effects are rows without any key: nothing but the events' own ids keeps them from being doubled. */
export const EFFECT = 'INSERT INTO public.effects SELECT event_id FROM fresh RETURNING 1'

export async function testBus(): Promise<TestBus> {
  const [server, database] = await Promise.all([testRedis(), testDatabase()])
  // The tests' own calls wait for a busy server.
  const db = connectDatabase({ url: database.url, name: 'test', log: silentLog, deadlineMs: TEST_TIMEOUT_MS })
  await db.query('CREATE TABLE public.effects (event_id uuid NOT NULL)')
  const clients: Redis[] = []
  const blockingClients: Redis[] = []
  const parts: Part[] = []
  const connect: TestBus['connect'] = ({ blocking = false, url = server.url } = {}) => {
    const client = connectRedis({ url, name: 'test', log: silentLog, blocking })
    ;(blocking ? blockingClients : clients).push(client)
    return client
  }
  const redis = connect()
  await until(() => redis.isReady, { what: 'the connection to Redis' })
  return {
    server,
    databaseUrl: database.url,
    db,
    redis,
    connect,
    run: (part) => {
      void part.start?.()
      parts.push(part)
      return part
    },
    effects: async () => {
      const rows = await db.query<{ id: string; times: number }>(
        'SELECT event_id AS id, count(*)::int AS times FROM public.effects GROUP BY 1',
      )
      return new Map(rows.map(({ id, times }) => [id, times]))
    },
    insertOutbox: async (events) => {
      const rows = await db.query<{ id: string }>(
        `INSERT INTO tracking.outbox (type, data)
         SELECT e->>'type', e->'data' FROM jsonb_array_elements($1::text::jsonb) AS e RETURNING id`,
        [JSON.stringify(events)],
      )
      return rows.map(({ id }) => id)
    },
    close: async () => {
      const stopped = parts.map((part) => part.stop?.())
      for (const client of blockingClients) client.destroy() // no test has to wait for a read that waits
      await Promise.all(stopped)
      for (const client of clients) client.destroy()
      await db.close()
      await Promise.all([server.close(), database.close()])
    },
  }
}

/** A valid event; its participant distinguishes it. */
export const unlocking = (userId: string) =>
  ({ type: 'achievement.unlocked', data: { userId, at: '2026-04-17T14:05:00.000Z' } }) as const

export const event = (userId: string): DomainEvent<'achievement.unlocked'> => ({
  id: crypto.randomUUID(),
  at: '2026-04-17T14:05:00.000Z',
  ...unlocking(userId),
})
