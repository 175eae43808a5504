import { ConfigurationError, type Environment } from './config.ts'
import { type FailPoint, failPointOf } from './fail-point.ts'
import { shrinkWhenIdle } from './idle-memory.ts'
import { createLog, type Log } from './log.ts'
import { createMetrics, type Metrics } from './metrics.ts'
import { type Part, run } from './run.ts'
import { schedule } from './schedule.ts'

/** What every part of a service is made of. */
export type ServiceContext<Config> = { config: Config; log: Log; metrics: Metrics; failPoint: FailPoint }

/**
 * The whole main file of a service. Reads the configuration, or prints every problem of it and exits with 1; makes the
 * log and the metrics; then starts the parts in their order and stops them in the reverse order (`run`).
 * `parts` may be asynchronous where something must be open before the other parts can be made.
 */
export function startService<Config extends { LOG_LEVEL: string }>({
  name,
  readConfig,
  parts,
}: {
  name: string
  /** Throws ConfigurationError. */
  readConfig: (env: Environment) => Config
  parts: (context: ServiceContext<Config>) => readonly Part[] | Promise<readonly Part[]>
}): void {
  const config = configOrExit(readConfig)
  const log = createLog({ service: name, level: config.LOG_LEVEL })
  const context = { config, log, metrics: createMetrics(name), failPoint: failPointOf(process.env) }
  const memory = schedule(log, [shrinkWhenIdle()])
  run({ log, parts: async () => [memory, ...(await parts(context))] })
}

function configOrExit<Config>(readConfig: (env: Environment) => Config): Config {
  try {
    return readConfig(process.env)
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    console.error(error.message)
    process.exit(1)
  }
}
