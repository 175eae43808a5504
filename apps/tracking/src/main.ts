import { ConfigurationError } from '@palanquin/service/config'
import { listen } from '@palanquin/service/http/listen'
import { createLog } from '@palanquin/service/log'
import { type Part, run } from '@palanquin/service/run'
import { type TrackingConfig, trackingConfig } from './config.ts'
import { FLUSH_PATH } from './flush/route.ts'
import { schedule } from './schedule.ts'
import { openTracking, type Tracking } from './tracking.ts'
import { untilReady } from './until-ready.ts'

function configOrExit(): TrackingConfig {
  try {
    return trackingConfig(process.env)
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    console.error(error.message)
    process.exit(1)
  }
}

const config = configOrExit()
const log = createLog({ service: 'tracking', level: config.LOG_LEVEL })

/** The journal is opened before anything listens, and closed after everything has stopped. */
function service(): Part[] {
  let tracking: Tracking | undefined
  const opened = (): Tracking => {
    if (!tracking) throw new Error('parts are started in order')
    return tracking
  }
  return [
    {
      name: 'tracking',
      start: async () => {
        tracking = await openTracking({ config, log })
      },
      stop: () => tracking?.close(),
    },
    { name: 'first look', start: () => untilReady(opened().app) },
    schedule({
      flushSchedule: config.FLUSH_SCHEDULE,
      flusher: { flushIfFree: () => opened().flusher.flushIfFree() },
      log,
    }),
    listen({
      app: { fetch: (request) => opened().app.fetch(request) },
      host: config.HOST,
      port: config.PORT,
      socket: config.SOCKET,
      readyFile: config.READY_FILE,
      drainMs: config.DRAIN_MS,
      unhurried: [FLUSH_PATH],
    }),
  ]
}

run({ log, parts: service() })
