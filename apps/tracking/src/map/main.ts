import { ConfigurationError } from '@palanquin/service/config'
import { listen } from '@palanquin/service/http/listen'
import { createLog } from '@palanquin/service/log'
import { type Part, run } from '@palanquin/service/run'
import { untilReady } from '../until-ready.ts'
import { type MapConfig, mapConfig } from './config.ts'
import { type MapService, openMap } from './service.ts'

function configOrExit(): MapConfig {
  try {
    return mapConfig(process.env)
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    console.error(error.message)
    process.exit(1)
  }
}

const config = configOrExit()
const log = createLog({ service: 'map', level: config.LOG_LEVEL })

function service(): Part[] {
  let map: MapService | undefined
  const opened = (): MapService => {
    if (!map) throw new Error('parts are started in order')
    return map
  }
  return [
    {
      name: 'map',
      start: async () => {
        map = await openMap({ config, log })
      },
      stop: () => map?.close(),
    },
    { name: 'first look', start: () => untilReady(opened().app) },
    listen({
      app: { fetch: (request) => opened().app.fetch(request) },
      host: config.HOST,
      port: config.PORT,
      socket: config.SOCKET,
      readyFile: config.READY_FILE,
      drainMs: config.DRAIN_MS,
    }),
    // Started last and so stopped first: the server waits for every answer, and a stream never ends by itself.
    { name: 'streams', stop: () => map?.endStreams() },
  ]
}

run({ log, parts: service() })
