import { connectDatabase } from '@palanquin/db/client'
import { databaseProblem } from '@palanquin/db/requirements'
import { consume } from '@palanquin/events/consume'
import { consumerName } from '@palanquin/events/consumer-name'
import { outboxRelay } from '@palanquin/events/outbox-relay'
import { httpPart } from '@palanquin/service/http/listen'
import { connectRedis } from '@palanquin/service/redis'
import { schedule } from '@palanquin/service/schedule'
import { type ServiceContext, startService } from '@palanquin/service/start-service'
import { storesPart } from '@palanquin/service/stores-part'
import { createLineBot } from './app.ts'
import { type LineBotConfig, readLineBotConfig } from './config.ts'

startService({ name: 'line-bot', readConfig: readLineBotConfig, parts })

function parts({ config, log, metrics, failPoint }: ServiceContext<LineBotConfig>) {
  if (!config.line)
    log.warn({ event: 'line.not_configured' }, 'LINE is not configured: the bot sends nothing')
  const { REDIS_URL: url } = config
  const redis = connectRedis({ url, name: 'line-bot', log })
  const reader = (name: string) => connectRedis({ url, name, log, blocking: true })
  const blocking = reader('line-bot-consumer')
  // Without LINE nothing reads the inbox, and a reader that never reads is taken for a stalled link.
  const inbox = config.line ? reader('line-bot-inbox') : redis
  const db = connectDatabase({ url: config.DATABASE_URL, name: 'line-bot', log })
  const relay = outboxRelay({ db, schema: 'line', redis, log, metrics, failPoint })
  const consumer = consumerName(config)
  const publishOutbox = relay.publishSoon
  const bot = createLineBot({ config, db, redis, inbox, consumer, publishOutbox, log, metrics })
  const bus = consume({
    redis,
    blocking,
    group: 'line-bot',
    consumer,
    handlers: bot.handlers,
    log,
    metrics,
    failPoint,
  })
  return [
    storesPart({
      log,
      redis: [redis, blocking, inbox],
      check: () => databaseProblem(db),
      close: () => db.close(),
    }),
    relay,
    bus,
    ...bot.parts,
    schedule(log, bot.jobs),
    httpPart({ app: bot.app, config }),
  ]
}
