import { ConfigurationError } from '@palanquin/service/config'
import { listen } from '@palanquin/service/http/listen'
import { createLog } from '@palanquin/service/log'
import { createMetrics } from '@palanquin/service/metrics'
import { run } from '@palanquin/service/run'
import { createMedia } from './app.ts'
import { type MediaConfig, readMediaConfig } from './config.ts'
import { connectObjects } from './objects.ts'

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
const metrics = createMetrics('media')
const objects = connectObjects(config)
const app = createMedia({ objects, internalToken: config.INTERNAL_TOKEN, log, metrics })
const { HOST: host, PORT: port, SOCKET: socket, READY_FILE: readyFile } = config

run({
  log,
  parts: [{ name: 'objects', stop: objects.close }, listen({ app, host, port, socket, readyFile })],
})
