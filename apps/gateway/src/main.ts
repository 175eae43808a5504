import type { Log } from '@palanquin/service/log'
import { connectRedis } from '@palanquin/service/redis'
import { startService } from '@palanquin/service/start-service'
import { storesPart } from '@palanquin/service/stores-part'
import { assembleGateway } from './assemble.ts'
import { readGatewayConfig } from './config.ts'
import { listen } from './listen.ts'
import { boundsOf, callsMaxOf } from './proxy/services.ts'

/** Clients that call more rarely than this find their connection closed, as they do after a pause anyway. */
const HANDOVER_MS = 2_000

startService({
  name: 'gateway',
  readConfig: readGatewayConfig,
  parts: ({ config, log, metrics }) => {
    const redis = connectRedis({ url: config.REDIS_URL, name: 'gateway', log })
    const gateway = assembleGateway({ config, redis, log, metrics })
    const { app, readers, windows, sessions, settings, eventLoopLag, internal, endStreams } = gateway
    const http = listen({ config, app, internal, readers, onStop: endStreams })
    const callsMax = callsMaxOf(process.env.BUN_CONFIG_MAX_HTTP_REQUESTS)
    const start = () =>
      log.info(
        { event: 'gateway.opened', url: http.publicUrl(), callsMax, ...boundsOf(callsMax) },
        'Public port is open',
      )
    handOverOnSignal(log, gateway.closeConnections)
    const stores = storesPart({ log, redis: [redis] })
    return [stores, settings, windows, eventLoopLag, sessions, http, { name: 'opened', start }]
  },
})

/** A successor listens at the same port: responses close their connections meanwhile, so that clients connect to it. */
function handOverOnSignal(log: Log, closeConnections: () => void): void {
  process.on('SIGUSR2', () => {
    log.info({ event: 'gateway.handover_started', forMs: HANDOVER_MS }, 'Handing over to the successor')
    closeConnections()
    setTimeout(() => process.kill(process.pid, 'SIGTERM'), HANDOVER_MS)
  })
}
