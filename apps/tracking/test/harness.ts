import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Environment } from '@palanquin/service/config'
import { failPointOf } from '@palanquin/service/fail-point'
import { createLog } from '@palanquin/service/log'
import { createMetrics } from '@palanquin/service/metrics'
import { connectRedis } from '@palanquin/service/redis'
import { testDatabase } from '@palanquin/testing/postgres'
import { testRedis } from '@palanquin/testing/redis'
import { until } from '@palanquin/testing/until'
import postgres from 'postgres'
import { trackingConfig } from '../src/config.ts'
import { mapConfig } from '../src/map/config.ts'
import { createMapService } from '../src/map/service.ts'
import { openTracking } from '../src/tracking.ts'

export const TOKEN = 'internal-token-of-the-tests'

/** The stores of a test, each its own, and a folder for journals. */
export async function stores() {
  const [database, redisServer] = await Promise.all([testDatabase(), testRedis()])
  const folder = mkdtempSync(join(tmpdir(), 'palanquin-tracking-'))
  const sql = postgres(database.url, { max: 2, onnotice: () => {} })
  const redis = connectRedis({
    url: redisServer.url,
    name: 'test',
    log: createLog({ service: 'test', level: 'silent' }),
  })
  await until(() => redis.isReady, { what: 'a connection to Redis' })
  return {
    database,
    redisServer,
    sql,
    redis,
    folder,
    environment: (over: Environment = {}): Environment => ({
      NODE_ENV: 'test',
      LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'silent',
      INTERNAL_TOKEN: TOKEN,
      REDIS_URL: redisServer.url,
      DATABASE_URL: database.url,
      JOURNAL_DIR: join(folder, 'journal'),
      PSEUDONYM_SECRET: 'pseudonym-secret-of-the-tests',
      ...over,
    }),
    close: async () => {
      redis.destroy()
      await sql.end({ timeout: 1 })
      await Promise.all([database.close(), redisServer.close()])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export type Stores = Awaited<ReturnType<typeof stores>>

/** An answer as tests look at it. */
export type Answer = {
  status: number
  headers: Headers
  body: { ok?: boolean; data?: unknown; error?: string }
}

type App = { fetch: (request: Request) => Response | Promise<Response> }
/** `redisIsAway`: the test starts it without; else it is handed over when Redis is there. */
type Options = { env?: Environment; now?: () => number; redisIsAway?: boolean }

/** Calls of an app as the gateway makes them. */
function callsOf(app: App) {
  const call = async (method: string, path: string, body?: unknown, headers = {}): Promise<Answer> => {
    const response = await app.fetch(
      new Request(`http://tracking.internal${path}`, {
        method,
        headers: { 'x-internal-token': TOKEN, 'content-type': 'application/json', ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    )
    const json: unknown = await response.json()
    return { status: response.status, headers: response.headers, body: json as Answer['body'] }
  }
  return {
    post: (path: string, body: unknown = {}, headers = {}) => call('POST', path, body, headers),
    get: (path: string, headers = {}) => call('GET', path, undefined, headers),
  }
}

/**
 * The ingest side of tracking in this process, without a port. `now` is the time for it; `machineNow` what the clock of its
 * machine says, which Redis may know better.
 */
export async function tracking(
  given: Stores,
  { env, now, machineNow, redisIsAway = false }: Options & { machineNow?: () => number } = {},
) {
  const config = trackingConfig(given.environment(env))
  const log = createLog({ service: 'tracking', level: config.LOG_LEVEL })
  const opened = await openTracking({
    config,
    log,
    metrics: createMetrics('tracking'),
    failPoint: failPointOf(given.environment(env)),
    ...(now ? { now, clock: { name: 'the clock of a test', now, isSure: () => true } } : {}),
    ...(machineNow ? { now: machineNow } : {}),
  })
  const { redis, clock } = opened
  if (!redisIsAway) await until(() => redis.isReady && clock.isSure(), { what: 'Redis, and its time' })
  return { ...opened, ...callsOf(opened.app) }
}

/** The map service in this process, without a port. */
export async function mapOf(given: Stores, { env, now, redisIsAway = false }: Options = {}) {
  const config = mapConfig(given.environment(env))
  const log = createLog({ service: 'map', level: config.LOG_LEVEL })
  const { app, redis, parts, streams } = createMapService({
    config,
    log,
    metrics: createMetrics('map'),
    ...(now ? { now } : {}),
  })
  const started = [...parts, streams]
  for (const part of started) await part.start?.()
  if (!redisIsAway) await until(() => redis.isReady, { what: 'Redis' })
  const close = async (): Promise<void> => {
    for (const part of started.toReversed()) await part.stop?.()
  }
  return { app, streams, close, ...callsOf(app) }
}

export type MapProcess = Awaited<ReturnType<typeof mapOf>>

export type Service = Awaited<ReturnType<typeof tracking>>

/** The answer to a call that is made again as long as a store is too slow for it: 503 asks for that. */
export const untilTaken = <A extends { status: number }>(call: () => Promise<A | null>): Promise<A> =>
  until(
    async () => {
      const answer = await call()
      return answer?.status !== 503 && answer
    },
    { what: 'an answer other than 503' },
  )

type Posts = { post: (path: string) => Promise<{ status: number } | null> }

/** Flushes until everything that was answered is stored: what a slow store interrupts is to be called again. */
export const untilFlushed = ({ post }: Posts) =>
  until(async () => (await post('/internal/flush'))?.status === 200, { what: 'a whole flush' })
