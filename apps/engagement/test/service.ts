import { BY_KEY, connectDatabase } from '@palanquin/db/client'
import { shardOf, shardTag } from '@palanquin/domain/ids'
import type { LevelKm } from '@palanquin/domain/level'
import { credentialTags } from '@palanquin/service/credential-tags'
import { erasureTokens, receiptsUnder } from '@palanquin/service/erasure-token'
import { ARRIVED_HEADER, INTERNAL_TOKEN_HEADER, TIER_HEADER } from '@palanquin/service/http/headers'
import { createLog, type Log } from '@palanquin/service/log'
import { createMetrics } from '@palanquin/service/metrics'
import { connectRedis } from '@palanquin/service/redis'
import { testDatabase } from '@palanquin/testing/postgres'
import { testRedis } from '@palanquin/testing/redis'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import postgres from 'postgres'
import type { HasLine } from '../src/activity/features.ts'
import type { FinalFlush } from '../src/activity/final-flush.ts'
import type { EventFacts } from '../src/activity/public.ts'
import { createEngagement } from '../src/app.ts'
import type { ErasureDependencies } from '../src/erasure/erase.ts'
import type { ReadPoints } from '../src/export/points.ts'
import type { LinkServices } from '../src/linking/link.ts'
import type { CountRecipients } from '../src/lost/recipients.ts'
import type { ReadLivePositions } from '../src/reports/participants/live-positions.ts'
import type { ReadWithin } from '../src/reports/participants/near.ts'
import type { UnregisteredOnMap } from '../src/reports/participants/unregistered-on-map.ts'
import type { ReadPosition } from '../src/shares/position.ts'

export const PSEUDONYM_SECRET = 'a-pseudonym-secret-for-tests'
const INTERNAL_TOKEN = 'an-internal-token-for-tests'
export const TAGS = credentialTags(PSEUDONYM_SECRET)

export type Call = { method?: string; body?: unknown; tier?: 0 | 1 | 2 | 3; headers?: Record<string, string> }
export type Answer = { status: number; headers: Headers; body: Record<string, unknown> }

/** The event that tracking gives back for an erasure. */
export const NO_ERASURE = { shard: 0, mark: 'a'.repeat(22), at: '2026-05-09T12:00:00.000Z', upTo: '0-0' }

async function* noPoints() {
  yield '[]'
}

const EVENT: EventFacts = {
  name: { zh: '測試進香', en: 'Test Pilgrimage' },
  dates: null,
  startsAtMs: null,
  endsAtMs: null,
  timezone: 'Asia/Taipei',
  bounds: { west: 120, south: 23, east: 121, north: 25 },
  consentVersion: '1',
  publicBaseUrl: null,
  liffUrl: null,
}

type Options = {
  databaseUrl?: string
  redisUrl?: string
  flush?: FinalFlush
  /** The erasure endpoints of the other services; they have nothing to erase by default. */
  eraseAt?: Partial<ErasureDependencies['services']>
  /** What other services do when a device is joined; nothing by default. */
  linkAt?: Partial<LinkServices>
  /** How long an erasure retries; 0 by default, so that tests with a service away do not wait. */
  eraseDeadlineMs?: number
  /** User ids that the map may know before their row exists; none without it. */
  unregisteredOnMap?: UnregisteredOnMap
  /** The map's points of a participant; none without it. */
  readPoints?: ReadPoints
  /** The map's position of a participant; none without it. */
  readPosition?: ReadPosition
  /** The map's positions of participants; it is away without it. */
  readLivePositions?: ReadLivePositions
  /** Participants within a distance, from the map; none without it. */
  readWithin?: ReadWithin
  publishOutbox?: () => Promise<void>
  levelKm?: LevelKm
  event?: Partial<EventFacts>
  hasLine?: HasLine
  /** How many hear of a lost report; nobody by default. */
  countRecipients?: CountRecipients
  now?: () => number
  /** Deadline of the service's own statements. */
  deadlineMs?: number
  /** Calls of Redis have the service's own deadlines, for tests in which it stalls; none by default. */
  hasRedisDeadlines?: boolean
  log?: Log
}

/** The engagement service on a throwaway database and Redis, called without sockets. */
export async function startTestService(options: Options = {}) {
  const database = options.databaseUrl ? null : await testDatabase()
  const redisServer = options.redisUrl ? null : await testRedis()
  const databaseUrl = options.databaseUrl ?? database?.url ?? ''
  const log = options.log ?? createLog({ service: 'engagement', level: 'silent' })
  const redis = connectRedis({ url: options.redisUrl ?? redisServer?.url ?? '', name: 'test', log })
  const connection = { url: databaseUrl, log, deadlineMs: options.deadlineMs ?? TEST_TIMEOUT_MS }
  const db = connectDatabase({ ...connection, name: 'test' })
  const profileDb = connectDatabase({ ...connection, name: 'test-profiles', max: 4, settings: BY_KEY })
  const sql = postgres(databaseUrl, { max: 2, onnotice: () => {} })
  let published = 0
  const refreshed: string[] = []
  const engagement = createEngagement({
    db,
    profileDb,
    redis,
    ...(options.hasRedisDeadlines ? {} : { redisDeadlineMs: TEST_TIMEOUT_MS }),
    levelKm: options.levelKm ?? 'total',
    refreshViews: async (userId) => {
      refreshed.push(userId)
    },
    publishOutbox: async () => {
      published++
      await options.publishOutbox?.()
    },
    flush: options.flush ?? (async () => true),
    eraseAt: {
      tracking: async () => ({ erased: {}, event: NO_ERASURE, closedUntil: 0 }),
      end: async () => NO_ERASURE,
      media: async () => ({ erased: {} }),
      lineBot: async () => ({ erased: {} }),
      ...options.eraseAt,
    },
    linkAt: { images: async () => true, points: async () => true, ...options.linkAt },
    eraseDeadlineMs: options.eraseDeadlineMs ?? 0,
    unregisteredOnMap: options.unregisteredOnMap ?? (async () => []),
    readPosition: options.readPosition ?? (async () => null),
    readWithin: options.readWithin ?? (async () => []),
    readLivePositions: options.readLivePositions ?? (async () => null),
    readPoints: options.readPoints ?? (async () => noPoints()),
    internalToken: INTERNAL_TOKEN,
    receiptOf: receiptsUnder(PSEUDONYM_SECRET),
    event: { ...EVENT, ...options.event },
    hasLine: options.hasLine ?? (async () => false),
    countRecipients: options.countRecipients ?? (async () => ({ volunteers: 0, owners: 0 })),
    auth: false,
    tags: TAGS,
    log,
    metrics: createMetrics('engagement'),
    now: options.now ?? (() => Date.parse('2026-05-09T12:00:00.000Z')),
    propagationMs: 5,
  })
  await until(() => redis.isReady, { what: 'a connection to Redis' })

  /** The raw response; a body that is text is sent unchanged. */
  const respond = async (
    path: string,
    { method, body, tier = 0, headers = {} }: Call = {},
  ): Promise<Response> =>
    engagement.app.handle(
      new Request(`http://engagement${path}`, {
        method: method ?? (body === undefined ? 'GET' : 'POST'),
        headers: {
          [INTERNAL_TOKEN_HEADER]: INTERNAL_TOKEN,
          [TIER_HEADER]: String(tier),
          'content-type': 'application/json',
          ...headers,
        },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
    )
  const call = async (path: string, how?: Call): Promise<Answer> => {
    const response = await respond(path, how)
    return {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as Record<string, unknown>,
    }
  }
  /** The `data` of a response that must be 200. */
  const data = async (path: string, how?: Call): Promise<Record<string, unknown>> => {
    const { status, body } = await call(path, how)
    if (status !== 200) throw new Error(`${path} answered ${status}: ${JSON.stringify(body)}`)
    return body.data as Record<string, unknown>
  }
  return {
    ...engagement,
    /** User ids whose status and consent other processes were asked to re-read. */
    refreshed,
    db,
    redis,
    redisServer,
    sql,
    databaseUrl,
    redisUrl: options.redisUrl ?? redisServer?.url ?? '',
    call,
    respond,
    data,
    published: () => published,
    /** Erases a person a second ago, but for their rows. */
    tombstone: async (userId: string) => {
      const at = Date.now() - 1_000
      await sql`INSERT INTO tracking.erasures (mark, shard, at)
        VALUES (${erasureTokens(PSEUDONYM_SECRET)(userId)}, 0, ${new Date(at)})`
      return { before: { [ARRIVED_HEADER]: `${at}` }, after: { [ARRIVED_HEADER]: `${at + 1}` } }
    },
    outbox: () => sql`SELECT type, data FROM engagement.outbox ORDER BY seq`,
    close: async () => {
      redis.destroy()
      await Promise.all([sql.end({ timeout: 1 }), db.close(), profileDb.close()])
      await Promise.all([database?.close(), redisServer?.close()])
    },
  }
}

export type TestService = Awaited<ReturnType<typeof startTestService>>

/** Redis keys of a participant and its shard. */
export function keysOf(userId: string) {
  const tag = shardTag(shardOf(userId))
  return {
    pending: `${tag}:pending:${userId}`,
    flushed: `${tag}:flushed`,
    statistics: `${tag}:stats:${userId}`,
    waiting: `${tag}:waiting`,
  }
}
