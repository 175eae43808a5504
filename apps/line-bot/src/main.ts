import { ConfigurationError } from '@palanquin/service/config'
import { listen } from '@palanquin/service/http/listen'
import { createLog } from '@palanquin/service/log'
import { createMetrics } from '@palanquin/service/metrics'
import { run } from '@palanquin/service/run'
import { createLineBot, NOT_CONFIGURED } from './app.ts'
import { type LineBotConfig, readLineBotConfig } from './config.ts'

function configOrExit(): LineBotConfig {
  try {
    return readLineBotConfig(process.env)
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    console.error(error.message)
    process.exit(1)
  }
}

const config = configOrExit()
const log = createLog({ service: 'line-bot', level: config.LOG_LEVEL })
if (!config.line) log.warn(NOT_CONFIGURED)
const metrics = createMetrics('line-bot')
const app = createLineBot({ line: config.line, internalToken: config.INTERNAL_TOKEN, log, metrics })
const { HOST: host, PORT: port, SOCKET: socket, READY_FILE: readyFile } = config

run({ log, parts: [listen({ app, host, port, socket, readyFile })] })
