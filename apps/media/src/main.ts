import { connectDatabase } from '@palanquin/db/client'
import { databaseProblem } from '@palanquin/db/requirements'
import { parseInstant } from '@palanquin/domain/time'
import { consume } from '@palanquin/events/consume'
import { consumerName } from '@palanquin/events/consumer-name'
import { forgetProcessed } from '@palanquin/events/once'
import { outboxRelay } from '@palanquin/events/outbox-relay'
import { objectsAccess } from '@palanquin/objects/access'
import { connectObjects } from '@palanquin/objects/objects'
import { receiptsUnder } from '@palanquin/service/erasure-token'
import { followSettings, withEventSettings } from '@palanquin/service/event-settings'
import { httpPart } from '@palanquin/service/http/listen'
import { connectRedis } from '@palanquin/service/redis'
import { schedule } from '@palanquin/service/schedule'
import { serviceClient } from '@palanquin/service/service-client'
import { type ServiceContext, startService } from '@palanquin/service/start-service'
import { storesPart } from '@palanquin/service/stores-part'
import { createMedia } from './app.ts'
import { type MediaConfig, readMediaConfig } from './config.ts'
import { pointsTo } from './imports/tracking-client.ts'
import { checkinAt } from './photos/checkin-client.ts'

const FORGET_EVERY_MS = 24 * 3_600_000

startService({ name: 'media', readConfig: readMediaConfig, parts })

function parts({ config, log, metrics, failPoint }: ServiceContext<MediaConfig>) {
  const { REDIS_URL: url, INTERNAL_TOKEN: internalToken } = config
  const redis = connectRedis({ url, name: 'media', log })
  const blocking = connectRedis({ url, name: 'media-consumer', log, blocking: true })
  const db = connectDatabase({ url: config.DATABASE_URL, name: 'media', log })
  const objects = connectObjects(objectsAccess(config))
  const relay = outboxRelay({ db, schema: 'media', redis, log, metrics, failPoint })
  const owners = followSettings({ redis, log })
  const settings = withEventSettings(config, owners)
  const tracking = serviceClient({ name: 'tracking', to: config.TRACKING_URL, internalToken })
  const { app, images, cards, imports } = createMedia({
    db,
    redis,
    objects,
    internalToken,
    log,
    metrics,
    receiptOf: receiptsUnder(config.PSEUDONYM_SECRET),
    publishOutbox: relay.publishSoon,
    imagesUrl: () => `${settings.PUBLIC_BASE_URL ?? ''}/api/${config.EVENT_BRAND}/feedback-image/`,
    checkIn: checkinAt(tracking),
    sendPoints: pointsTo(tracking),
    startsAtMs: () => parseInstant(owners.get().startsAt ?? config.EVENT_STARTS_AT),
    cards: settings,
  })
  const consumer = consume({
    redis,
    blocking,
    log,
    metrics,
    failPoint,
    group: 'media',
    consumer: consumerName(config),
    handlers: { ...images.handlers, ...cards.handlers },
  })
  const jobs = [
    ...images.jobs,
    ...cards.jobs,
    ...imports.jobs,
    { name: 'old event ids', everyMs: FORGET_EVERY_MS, run: () => forgetProcessed(db, 'media') },
  ]
  return [
    storesPart({
      log,
      redis: [redis, blocking],
      check: () => databaseProblem(db),
      close: async () => {
        objects.close()
        await db.close()
      },
    }),
    owners,
    relay,
    consumer,
    cards.part,
    images.sanitizer,
    imports.runner,
    schedule(log, jobs),
    httpPart({ app, config }),
  ]
}
