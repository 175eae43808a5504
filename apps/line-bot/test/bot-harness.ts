import { connectDatabase } from '@palanquin/db/client'
import type { WebhookEvent } from '@palanquin/line-simulator/events'
import { type LineStub, testLine } from '@palanquin/line-simulator/stub'
import type { SendOptions } from '@palanquin/line-simulator/webhook-sender'
import { INTERNAL_TOKEN_HEADER } from '@palanquin/service/http/headers'
import { createLog, type Log } from '@palanquin/service/log'
import { createMetrics } from '@palanquin/service/metrics'
import { connectRedis } from '@palanquin/service/redis'
import { testDatabase } from '@palanquin/testing/postgres'
import { testRedis } from '@palanquin/testing/redis'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import postgres from 'postgres'
import { createLineBot } from '../src/app.ts'
import { type LineBotConfig, readLineBotConfig } from '../src/config.ts'
import { startServiceClients } from './services.ts'

const INTERNAL_TOKEN = 'an-internal-token-for-tests'

/**
 * The LINE bot on stores of its own, with a LINE of its own that sends it signed webhooks over HTTP. `sql` is the tests'
 * own way into the database, and `services` are the other services as far as the bot calls them.
 */
export async function startBot({
  variables = {},
  log = createLog({ service: 'line-bot', level: 'silent' }),
  line = testLine({ answerMsMax: TEST_TIMEOUT_MS }),
  conversation = true,
}: {
  variables?: Record<string, string>
  log?: Log
  line?: LineStub
  /** Whether its parts run: without them, what comes in stays in the inbox. */
  conversation?: boolean
} = {}) {
  const [database, redisServer] = await Promise.all([testDatabase(), testRedis()])
  const services = startServiceClients(INTERNAL_TOKEN)
  const clients = ['test', 'test-inbox'].map((name, index) =>
    connectRedis({ url: redisServer.url, name, log, blocking: index > 0 }),
  )
  const [redis, inbox] = clients
  if (!redis || !inbox) throw new Error('two clients were made')
  const db = connectDatabase({ url: database.url, name: 'test', log, deadlineMs: TEST_TIMEOUT_MS })
  const sql = postgres(database.url, { max: 2, onnotice: () => {} })
  const config = readLineBotConfig({
    INTERNAL_TOKEN,
    PSEUDONYM_SECRET: 'pseudonym-secret-of-the-tests',
    REDIS_URL: redisServer.url,
    DATABASE_URL: database.url,
    PUBLIC_BASE_URL: 'https://walk.example',
    LIFF_URL: 'https://liff.line.me/1656000000-abcdefgh',
    ...services.environment,
    ...line.environment,
    ...variables,
  })
  const another = (differently: Partial<LineBotConfig> = {}, consumer = 'another') =>
    createLineBot({
      config: { ...config, ...differently },
      db,
      redis,
      inbox,
      consumer,
      log,
      publishOutbox: async () => {},
      metrics: createMetrics('line-bot'),
      deadlineMs: TEST_TIMEOUT_MS,
    })
  const bot = another({}, 'test')
  await until(() => clients.every(({ isReady }) => isReady), { what: 'connections to Redis' })
  const parts = conversation ? bot.parts : []
  for (const part of parts) await part.start?.()
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: (request) => bot.app.fetch(request) })
  const headers = { [INTERNAL_TOKEN_HEADER]: INTERNAL_TOKEN }
  line.control.listenAt({ url: `http://127.0.0.1:${server.port}/webhook`, headers })

  return {
    bot,
    another,
    line,
    services,
    db,
    redis,
    redisServer,
    sql,
    config,
    /** Sends events, again and again until the bot has taken them: each counts once. */
    deliver: async (events: WebhookEvent | WebhookEvent[], options?: SendOptions) => {
      const sent = await line.control.send(events, options)
      const redeliver = async () => (await line.control.redeliver(sent)).ok
      if (!sent.ok) await until(redeliver, { what: 'the webhook to be taken' })
      return sent
    },
    /** The bot's own answer, called as the gateway would. */
    call: (
      path: string,
      { headers: more = {}, ...init }: RequestInit & { headers?: Record<string, string> } = {},
    ) => bot.app.handle(new Request(`http://line-bot${path}`, { ...init, headers: { ...headers, ...more } })),
    close: async () => {
      for (const part of parts.toReversed()) await part.stop?.()
      await server.stop(true)
      for (const client of clients) client.destroy()
      await Promise.all([db.close(), sql.end({ timeout: 1 }), line.close(), services.close()])
      await Promise.all([database.close(), redisServer.close()])
    },
  }
}

export type TestBot = Awaited<ReturnType<typeof startBot>>
