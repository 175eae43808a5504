import { hostname } from 'node:os'
import { connectDatabase } from '@palanquin/db/client'
import { consume } from '@palanquin/events/consume'
import { outboxRelay } from '@palanquin/events/outbox-relay'
import { ConfigurationError } from '@palanquin/service/config'
import { withDeadline } from '@palanquin/service/deadline'
import { failPointOf } from '@palanquin/service/fail-point'
import { listen } from '@palanquin/service/http/listen'
import { createLog } from '@palanquin/service/log'
import { createMetrics } from '@palanquin/service/metrics'
import { connectRedis } from '@palanquin/service/redis'
import { type Part, run } from '@palanquin/service/run'
import { createLineBot, NOT_CONFIGURED } from './app.ts'
import { type LineBotConfig, readLineBotConfig } from './config.ts'
import { timedJobs } from './cron.ts'
import { schedule } from './schedule.ts'

/** What a request waits for its events to be published; what is left the relay publishes behind it. */
const PUBLISH_MS_MAX = 300

/** Connecting takes milliseconds; a start that does not wait for it tells of an outage that is none. */
const REDIS_HEAD_START_MS = 500

function configOrExit(): LineBotConfig {
  try {
    return readLineBotConfig(process.env)
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    console.error(error.message)
    process.exit(1)
  }
}

const config = configOrExit()
const log = createLog({ service: 'line-bot', level: config.LOG_LEVEL })
if (!config.line) log.warn(NOT_CONFIGURED)

function service(): Part[] {
  const { REDIS_URL: url, HOST: host, PORT: port, SOCKET: socket } = config
  const metrics = createMetrics('line-bot')
  const failPoint = failPointOf(process.env)
  const redis = connectRedis({ url, name: 'line-bot', log })
  const reader = (name: string) => connectRedis({ url, name, log, blocking: true })
  const events = reader('line-bot-consumer')
  // Without LINE nobody reads the inbox, and a reader that never reads is taken for a stalled link, again and again.
  const inbox = config.line ? reader('line-bot-inbox') : redis
  const db = connectDatabase({ url: config.DATABASE_URL, name: 'line-bot', log })
  const relay = outboxRelay({ db, schema: 'line', redis, log, metrics, failPoint })
  const tell = () =>
    withDeadline(relay.kick(), { what: 'the outbox relay', deadlineMs: PUBLISH_MS_MAX }).catch(
      (error: Error) => log.debug({ reason: error.message }, 'an answer goes out before its events'),
    )
  // The same name after a restart, where the address is the same.
  const consumer = `${hostname()}:${socket ?? (port || process.pid)}`
  const bot = createLineBot({ config, db, redis, inbox, consumer, tell, log, metrics, failPoint })
  const bus = consume({
    ...{ redis, blocking: events, group: 'line-bot', consumer },
    ...{ handlers: bot.handlers, log, metrics, failPoint },
  })
  const stores: Part = {
    name: 'stores',
    start: async () => {
      const deadline = performance.now() + REDIS_HEAD_START_MS
      while (![redis, events, inbox].every(({ isReady }) => isReady) && performance.now() < deadline)
        await Bun.sleep(5)
    },
    stop: async () => {
      for (const client of new Set([redis, events, inbox])) client.destroy()
      await db.close()
    },
  }
  const http = listen({
    app: bot.app,
    host,
    port,
    socket,
    readyFile: config.READY_FILE,
    drainMs: config.DRAIN_MS,
  })
  return [stores, relay, bus, ...bot.parts, schedule({ db, bot, log }), timedJobs(log, bot.timedJobs), http]
}

run({ log, parts: service() })
