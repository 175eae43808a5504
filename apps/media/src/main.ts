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
import { createMedia } from './app.ts'
import { type MediaConfig, readMediaConfig } from './config.ts'
import { connectObjects } from './objects.ts'
import { schedule } from './schedule.ts'

/** What a request waits for its events to be published; what is left the relay publishes behind it. */
const TELL_MS_MAX = 300

/** Connecting takes milliseconds; a start that does not wait for it tells of an outage that is none. */
const REDIS_HEAD_START_MS = 500

function configOrExit(): MediaConfig {
  try {
    return readMediaConfig(process.env)
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    console.error(error.message)
    process.exit(1)
  }
}

const config = configOrExit()
const log = createLog({ service: 'media', level: config.LOG_LEVEL })

function service(): Part[] {
  const { REDIS_URL: url, INTERNAL_TOKEN: internalToken, HOST: host, PORT: port, SOCKET: socket } = config
  const metrics = createMetrics('media')
  const failPoint = failPointOf(process.env)
  const redis = connectRedis({ url, name: 'media', log })
  const blocking = connectRedis({ url, name: 'media-consumer', log, blocking: true })
  const db = connectDatabase({ url: config.DATABASE_URL, name: 'media', log })
  const objects = connectObjects(config)
  const relay = outboxRelay({ db, schema: 'media', redis, log, metrics, failPoint })
  const tell = () =>
    withDeadline(relay.kick(), { what: 'the outbox relay', deadlineMs: TELL_MS_MAX }).catch((error: Error) =>
      log.debug({ reason: error.message }, 'an answer goes out before its events'),
    )
  const imagesUrl = `${config.PUBLIC_BASE_URL ?? ''}/api/${config.EVENT_BRAND}/feedback-image/`
  const media = createMedia({
    db,
    redis,
    objects,
    tell,
    imagesUrl,
    cards: config,
    internalToken,
    log,
    metrics,
  })
  const { cards, pictures } = media
  const consumer = consume({
    redis,
    blocking,
    group: 'media',
    // The same name after a restart, where the address is the same.
    consumer: `${hostname()}:${socket ?? (port || process.pid)}`,
    handlers: { ...pictures.handlers, ...cards.handlers },
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
      objects.close()
      await db.close()
    },
  }
  const http = listen({
    app: media.app,
    host,
    port,
    socket,
    readyFile: config.READY_FILE,
    drainMs: config.DRAIN_MS,
  })
  const jobs = [...pictures.jobs, ...cards.jobs]
  return [stores, relay, consumer, cards.part, pictures.sanitizer, schedule({ db, log, jobs }), http]
}

run({ log, parts: service() })
