import { ConfigurationError } from '@palanquin/service/config'
import { createLog } from '@palanquin/service/log'
import { connectRedis } from '@palanquin/service/redis'
import { run } from '@palanquin/service/run'
import { assembleGateway } from './assemble.ts'
import { type Config, readGatewayConfig } from './config.ts'
import { listen } from './listen.ts'
import { boundsOf, callsMaxOf } from './upstream/services.ts'

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
const { gateway, windows, strain, internal, endStreams } = assembleGateway({ config, redis, log })
const http = listen({ config, gateway, internal, onStop: endStreams })
const callsMax = callsMaxOf(process.env.BUN_CONFIG_MAX_HTTP_REQUESTS)

run({
  log,
  parts: [
    { name: 'redis', stop: () => redis.destroy() },
    windows,
    strain,
    http,
    {
      name: 'greeting',
      start: () => log.info({ url: http.publicUrl(), callsMax, ...boundsOf(callsMax) }, 'open'),
    },
  ],
})
