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
import { hasLineAt } from './activity/features.ts'
import { finalFlush } from './activity/final-flush.ts'
import { createEngagement } from './app.ts'
import { type EngagementConfig, readEngagementConfig } from './config.ts'
import { eraseAt } from './erasure/services.ts'
import { handlersOf } from './handlers.ts'
import { refreshViewsAt } from './participants/refresh-views.ts'
import { unregisteredOnMap } from './reports/participants/unregistered-on-map.ts'
import { schedule } from './schedule.ts'

/** What a request waits for its events to be published; what is left the relay publishes behind it. */
const PUBLISH_MS_MAX = 300

/** What the parts of an erasure may take, within the gateway's minute: a million points, and some thousand pictures. */
const ERASE_TRACKING_MS_MAX = 35_000
const ERASE_MEDIA_MS_MAX = 10_000
const ERASE_LINE_BOT_MS_MAX = 5_000

/** Connecting takes milliseconds; a start that does not wait for it tells of an outage that is none. */
const REDIS_HEAD_START_MS = 500

function configOrExit(): EngagementConfig {
  try {
    return readEngagementConfig(process.env)
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    console.error(error.message)
    process.exit(1)
  }
}

const config = configOrExit()
const log = createLog({ service: 'engagement', level: config.LOG_LEVEL })

function service(): Part[] {
  const { REDIS_URL: url, INTERNAL_TOKEN: internalToken, HOST: host, PORT: port, SOCKET: socket } = config
  const metrics = createMetrics('engagement')
  const failPoint = failPointOf(process.env)
  const redis = connectRedis({ url, name: 'engagement', log })
  const blocking = connectRedis({ url, name: 'engagement-consumer', log, blocking: true })
  const db = connectDatabase({ url: config.DATABASE_URL, name: 'engagement', log })
  const relay = outboxRelay({ db, schema: 'engagement', redis, log, metrics, failPoint })
  const tell = () =>
    withDeadline(relay.kick(), { what: 'the outbox relay', deadlineMs: PUBLISH_MS_MAX }).catch(
      (error: Error) => log.debug({ reason: error.message }, 'an answer goes out before its events'),
    )
  const flush = finalFlush({ trackingUrl: config.TRACKING_URL, internalToken, log })
  const erase = { internalToken, log }
  const engagement = createEngagement({
    levelKm: config.LEVEL_KM,
    refreshViews: refreshViewsAt({ urls: [config.TRACKING_URL, config.MAP_URL], internalToken, log }),
    ...{ db, redis, tell, flush, internalToken, log, metrics, now: Date.now },
    event: config.event,
    auth: config.USER_AUTH === 'line',
    hasLine: hasLineAt({ url: config.LINE_BOT_URL, internalToken, log }),
    unregisteredOnMap: unregisteredOnMap({ url: config.MAP_URL, internalToken, log }),
    eraseAt: {
      tracking: eraseAt({ ...erase, url: config.TRACKING_URL, deadlineMs: ERASE_TRACKING_MS_MAX }),
      media: eraseAt({ ...erase, url: config.MEDIA_URL, deadlineMs: ERASE_MEDIA_MS_MAX }),
      lineBot: eraseAt({ ...erase, url: config.LINE_BOT_URL, deadlineMs: ERASE_LINE_BOT_MS_MAX }),
    },
  })
  const consumer = consume({
    redis,
    blocking,
    group: 'engagement',
    // The same name after a restart, where the address is the same.
    consumer: `${hostname()}:${socket ?? (port || process.pid)}`,
    handlers: handlersOf({ db, achievements: engagement.achievements, cache: engagement.cache }),
    log,
    metrics,
    failPoint,
  })
  const stores: Part = {
    name: 'stores',
    start: async () => {
      const deadline = performance.now() + REDIS_HEAD_START_MS
      while (!(redis.isReady && blocking.isReady) && performance.now() < deadline) await Bun.sleep(5)
    },
    stop: async () => {
      redis.destroy()
      blocking.destroy()
      await db.close()
    },
  }
  const http = listen({
    app: engagement.app,
    host,
    port,
    socket,
    readyFile: config.READY_FILE,
    drainMs: config.DRAIN_MS,
  })
  return [stores, relay, consumer, schedule({ engagement, db, log }), http]
}

run({ log, parts: service() })
