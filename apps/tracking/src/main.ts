import { ConfigurationError } from '@palanquin/service/config'
import { listen } from '@palanquin/service/http/listen'
import { createLog } from '@palanquin/service/log'
import { type Part, run } from '@palanquin/service/run'
import { type TrackingConfig, trackingConfig } from './config.ts'
import { FLUSH_PATH } from './flush/route.ts'
import { schedule } from './schedule.ts'
import { openTracking, type Tracking } from './tracking.ts'

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

/**
 * With its stores there, a process has its map within a moment; a copy that serves before that would answer 503 for it. Without
 * them it serves all the same: check-ins need only the disk.
 */
const MAP_WAIT_MS_MAX = 2_000
const LOOK_MS = 10

async function untilReady({ app }: Tracking): Promise<void> {
  const deadline = performance.now() + MAP_WAIT_MS_MAX
  while (performance.now() < deadline) {
    if ((await app.fetch(new Request('http://tracking.internal/ready'))).ok) return
    await Bun.sleep(LOOK_MS)
  }
}

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
    { name: 'first look', start: () => untilReady(opened()) },
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
    // Started last and so stopped first: the server waits for every answer, and a stream never ends by itself.
    { name: 'streams', stop: () => tracking?.endStreams() },
  ]
}

run({ log, parts: service() })
