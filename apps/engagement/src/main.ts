import { BY_KEY, connectDatabase } from '@palanquin/db/client'
import { databaseProblem } from '@palanquin/db/requirements'
import { consume } from '@palanquin/events/consume'
import { consumerName } from '@palanquin/events/consumer-name'
import { outboxRelay } from '@palanquin/events/outbox-relay'
import { credentialTags } from '@palanquin/service/credential-tags'
import { receiptsUnder } from '@palanquin/service/erasure-token'
import { httpPart } from '@palanquin/service/http/listen'
import { connectRedis } from '@palanquin/service/redis'
import { schedule } from '@palanquin/service/schedule'
import { type ServiceContext, startService } from '@palanquin/service/start-service'
import { storesPart } from '@palanquin/service/stores-part'
import { createEngagement } from './app.ts'
import { type EngagementConfig, readEngagementConfig } from './config.ts'
import { handlersOf } from './handlers.ts'
import { jobsOf } from './jobs.ts'
import { callsOf } from './service-calls.ts'

/** A statement reads many of them. */
const PROFILE_CONNECTIONS = 4

startService({ name: 'engagement', readConfig: readEngagementConfig, parts })

function parts({ config, log, metrics, failPoint }: ServiceContext<EngagementConfig>) {
  const { REDIS_URL: url, INTERNAL_TOKEN: internalToken } = config
  const redis = connectRedis({ url, name: 'engagement', log })
  const blocking = connectRedis({ url, name: 'engagement-consumer', log, blocking: true })
  const database = { url: config.DATABASE_URL, log }
  const db = connectDatabase({ ...database, name: 'engagement' })
  const profileDb = connectDatabase({
    ...database,
    name: 'engagement-profiles',
    max: PROFILE_CONNECTIONS,
    settings: BY_KEY,
  })
  const relay = outboxRelay({ db, schema: 'engagement', redis, log, metrics, failPoint })
  const engagement = createEngagement({
    db,
    profileDb,
    redis,
    internalToken,
    log,
    metrics,
    now: Date.now,
    ...callsOf({ config, log }),
    receiptOf: receiptsUnder(config.PSEUDONYM_SECRET),
    publishOutbox: relay.publishSoon,
    levelKm: config.LEVEL_KM,
    event: config.event,
    auth: config.USER_AUTH !== 'off',
    tags: credentialTags(config.PSEUDONYM_SECRET),
  })
  const consumer = consume({
    redis,
    blocking,
    log,
    metrics,
    failPoint,
    group: 'engagement',
    consumer: consumerName(config),
    handlers: handlersOf({ db, achievements: engagement.achievements, cache: engagement.cache }),
  })
  return [
    storesPart({
      log,
      redis: [redis, blocking],
      check: () => databaseProblem(db),
      close: async () => void (await Promise.all([db.close(), profileDb.close()])),
    }),
    relay,
    consumer,
    schedule(log, jobsOf({ engagement, db })),
    httpPart({ app: engagement.app, config }),
  ]
}
