import { ConfigurationError } from '@palanquin/service/config'
import { createLog } from '@palanquin/service/log'
import { connectRedis, untilThere } from '@palanquin/service/redis'
import { run } from '@palanquin/service/run'
import { assembleGateway } from './assemble.ts'
import { type Config, readGatewayConfig } from './config.ts'
import { listen } from './listen.ts'
import { boundsOf, callsMaxOf } from './proxy/services.ts'

/** Clients that call more rarely than this find their connection closed, as they do after a pause anyway. */
const HANDOVER_MS = 2_000

/**
 * The first calls find the limits that all gateways share: one server is there at once, and the map of a cluster takes
 * some 100 ms. Longer nobody waits: without Redis this process keeps limits by itself.
 */
const FIRST_REDIS_MS_MAX = 1_000

function configOrExit(): Config {
  try {
    return readGatewayConfig(process.env)
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    console.error(error.message)
    process.exit(1)
  }
}

const config = configOrExit()
const log = createLog({ service: 'gateway', level: config.LOG_LEVEL })
const redis = connectRedis({ url: config.REDIS_URL, name: 'gateway', log })
const { gateway, readers, windows, gateways, eventLoopLag, internal, endStreams, leave } = assembleGateway({
  config,
  redis,
  log,
})
const http = listen({ config, gateway, internal, readers, onStop: endStreams })
const callsMax = callsMaxOf(process.env.BUN_CONFIG_MAX_HTTP_REQUESTS)

// A successor listens at the same port: who calls here meanwhile is told to call anew.
process.on('SIGUSR2', () => {
  log.info({ forMs: HANDOVER_MS }, 'handing over to the process beside it')
  leave()
  setTimeout(() => process.kill(process.pid, 'SIGTERM'), HANDOVER_MS)
})

run({
  log,
  parts: [
    { name: 'redis', start: () => untilThere(redis, FIRST_REDIS_MS_MAX), stop: () => redis.destroy() },
    windows,
    gateways,
    eventLoopLag,
    http,
    {
      name: 'greeting',
      start: () => log.info({ url: http.publicUrl(), callsMax, ...boundsOf(callsMax) }, 'open'),
    },
  ],
})
