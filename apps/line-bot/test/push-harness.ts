import { connectDatabase, type Database } from '@palanquin/db/client'
import type { Profile } from '@palanquin/domain/participant'
import { type LineOptions, type LineStub, testLine } from '@palanquin/line-simulator/stub'
import { erasureTokens } from '@palanquin/service/erasure-token'
import { createHttpApp } from '@palanquin/service/http/app'
import { createLog } from '@palanquin/service/log'
import { createMetrics } from '@palanquin/service/metrics'
import { testDatabase } from '@palanquin/testing/postgres'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import Type, { type Static } from 'typebox'
import Value from 'typebox/value'
import { createLineClient } from '../src/line-client/client.ts'
import { createPushModule } from '../src/push/push.ts'

const log = createLog({ service: 'line-bot-test', level: 'silent' })

/** Figures as engagement gives them. */
const profileOf = (userId: string, language: 'zh-TW' | 'en' = 'zh-TW'): Profile => ({
  userId,
  displayName: '林媽媽',
  pictureUrl: null,
  language,
  status: 'active',
  privacyConsent: true,
  surveyCompleted: 1,
  hasPhone: true,
  phone: '+886•••••678',
  distanceKm: 52.345,
  walkedKm: 50,
  motorizedKm: 2.345,
  checkins: 12,
  photos: 0,
  level: { level: 3, nameZh: '金丹香客', nameEn: 'Golden Core Pilgrim', icon: '💛', next: null },
  carbon: { travelKg: 0, trackedKg: 0, waterKg: 0, recycleKg: 0, hotelKg: 0, totalKg: 0, avoidedKg: 15.239 },
  achievement: { unlocked: true, missing: [] },
  lastSeenAt: null,
})

const Body = Type.Object({
  error: Type.Optional(Type.String()),
  data: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
})
type Answer = { status: number; body: Static<typeof Body> }

export type TestPush = {
  db: Database
  databaseUrl: string
  stub: LineStub
  push: ReturnType<typeof createPushModule>
  /** A call as the gateway would pass it on. */
  call: (method: string, path: string, body?: object, tier?: number) => Promise<Answer>
  /** Friends of the bot, at LINE and in our table. */
  friends: (count: number) => Promise<string[]>
  /** Waits until a push is finished, and returns its status. */
  finished: (pushId: unknown) => Promise<Record<string, unknown>>
  /** What operators see of it. */
  metrics: () => Promise<string>
  close: () => Promise<void>
}

/** The push module on a database and a LINE of its own. */
export async function testPush({
  sends = true,
  configured = true,
  now = Date.now,
  ...line
}: LineOptions & { sends?: boolean; configured?: boolean } = {}): Promise<TestPush> {
  const database = await testDatabase()
  const db = connectDatabase({ url: database.url, name: 'push-test', log, deadlineMs: TEST_TIMEOUT_MS })
  const stub = testLine(line)
  const { apiBase, dataApiBase, channelAccessToken: accessToken } = stub
  const metrics = createMetrics('line-bot-test')
  const languages = new Map<string, 'zh-TW' | 'en'>()
  const push = createPushModule({
    settings: {
      INTERNAL_TOKEN: 'an-internal-token-for-tests',
      EVENT_NAME_ZH: '白沙屯媽祖進香',
      EVENT_NAME_EN: 'Baishatun Mazu Pilgrimage',
      EVENT_TIMEZONE: 'Asia/Taipei',
      LINE_QUOTA_RESERVE: 10,
      LINE_CONGRATULATIONS: 'on',
    },
    db,
    client: configured ? createLineClient({ apiBase, dataApiBase, accessToken }) : null,
    cardAddress: async (_, { version }) => `https://walk.example/c/share-id-of-a-card.png?v=${version}`,
    profile: async (userId) => profileOf(userId, languages.get(userId)),
    tokenOf: erasureTokens('pseudonym-secret-of-the-tests'),
    publishOutbox: async () => {},
    log,
    metrics,
    now,
  })
  const app = createHttpApp({
    service: 'line-bot-test',
    internalToken: 'token',
    log,
    metrics,
    readiness: async () => ({}),
  }).use(push.routes)
  if (sends) for (const part of push.parts) await part.start?.()

  const call: TestPush['call'] = async (method, path, body, tier = 2) => {
    const answer = await app.handle(
      new Request(`http://line-bot${path}`, {
        method,
        headers: {
          'x-internal-token': 'token',
          'x-internal-tier': `${tier}`,
          'content-type': 'application/json',
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    )
    return { status: answer.status, body: Value.Parse(Body, await answer.json()) }
  }
  return {
    db,
    databaseUrl: database.url,
    stub,
    push,
    call,
    friends: async (count) => {
      const ids = stub.control.people.addMany(count)
      await db.query('INSERT INTO line.users (user_id) SELECT unnest($1::text[])', [ids])
      return ids
    },
    finished: (pushId) =>
      until(
        async () => {
          const { body } = await call('GET', `/push/${String(pushId)}`)
          return body.data?.finishedAt ? body.data : null
        },
        { what: `the end of push ${String(pushId)}` },
      ),
    metrics: () => metrics.metrics(),
    close: async () => {
      if (sends) for (const part of push.parts) await part.stop?.()
      await stub.close()
      await db.close()
      await database.close()
    },
  }
}
