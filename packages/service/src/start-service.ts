import { ConfigurationError, type Environment } from './config.ts'
import { type FailPoint, failPointOf } from './fail-point.ts'
import { createLog, type Log } from './log.ts'
import { createMetrics, type Metrics } from './metrics.ts'
import { type Part, run } from './run.ts'
import { type Job, schedule } from './schedule.ts'

const LOOK_MS = 60_000
/** Of a processor; a process that uses less waits for requests. */
const IDLE_SHARE_MAX = 0.05

type Process = { cpuMs: () => number; nowMs: () => number; shrink: () => void }
const THIS_PROCESS: Process = {
  cpuMs: () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1_000
  },
  nowMs: () => performance.now(),
  // Deprecated without a successor; `Bun.gc` alone keeps the code that was compiled.
  shrink: () => Bun.shrink(),
}

/** Gives memory back (garbage, compiled code, free pages) after a minute without work. */
export function shrinkWhenIdle({ cpuMs, nowMs, shrink } = THIS_PROCESS): Job {
  let hasWorked = true
  let last = { cpuMs: cpuMs(), atMs: nowMs() }
  const run = async (): Promise<void> => {
    const now = { cpuMs: cpuMs(), atMs: nowMs() }
    const isIdle = now.cpuMs - last.cpuMs < (now.atMs - last.atMs) * IDLE_SHARE_MAX
    last = now
    if (isIdle && hasWorked) shrink()
    hasWorked = !isIdle
  }
  return { name: 'shrink-when-idle', everyMs: LOOK_MS, run }
}

/** What every part of a service is made of. */
export type ServiceContext<Config> = { config: Config; log: Log; metrics: Metrics; failPoint: FailPoint }

/** The main file of a service: reads the configuration, makes log and metrics, starts the parts in order. */
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
