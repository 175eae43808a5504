import { nonBlockingOutput } from '@palanquin/service/log-output'
import { commandFor } from '@palanquin/stack/command-text'
import { awaitRunning } from '@palanquin/stack/lifecycle/await-running'
import { supervise, upDetached } from '@palanquin/stack/lifecycle/detached'
import { supervisorOf } from '@palanquin/stack/lifecycle/home-lock'
import { runUntilStopped } from '@palanquin/stack/lifecycle/run-until-stopped'
import { showProgress } from '@palanquin/stack/progress'
import { PROJECT_ROOT } from '@palanquin/stack/project'
import { explainFullDisk } from '@palanquin/stack/recovery/full-disk'
import { type Home, homeAt, openHome } from '@palanquin/stack/run-state/home'
import { readSettings } from '@palanquin/stack/settings/settings'
import { unknownSettings } from '@palanquin/stack/settings/unknown-settings'
import { HOME_FLAG, homeFolder, readArguments, wholeNumber } from '../arguments.ts'
import { welcome } from '../welcome.ts'

const DEFAULT_PORT = 8443
const FLAGS = {
  ...HOME_FLAG,
  port: { type: 'string' },
  detach: { type: 'boolean' },
  /** Passed only by the launcher itself, to the supervisor behind `--detach`. */
  supervise: { type: 'boolean' },
} as const

/** `up`: starts a home and stays until Ctrl-C, or leaves a supervisor behind. */
export async function run(args: string[]): Promise<number> {
  const { values } = readArguments('up', args, { flags: FLAGS })
  const home = homeAt(homeFolder(values.home))
  const port = wholeNumber('up', 'port', values.port, { minimum: 0, maximum: 65_535, fallback: DEFAULT_PORT })
  if (values.supervise) return supervise(home, port)

  for (const sentence of unknownSettings(PROJECT_ROOT, process.env)) console.error(sentence)
  return explainFullDisk(home, () => bringUpAndPrint(home, port, values.detach ?? false))
}

async function bringUpAndPrint(home: Home, port: number, detached: boolean): Promise<number> {
  const startedMs = performance.now()
  openHome(home)
  if (detached && !supervisorOf(home)) {
    const run = await upDetached(home, port, showProgress())
    console.log(welcome(home, run, { tookMs: performance.now() - startedMs, detached: true }))
    return 0
  }
  const output = nonBlockingOutput((lines) => `(${lines} lines were dropped: nothing reads the output)\n`)
  process.on('exit', output.end)
  const settingsNow = () => readSettings(PROJECT_ROOT, process.env)
  const other =
    supervisorOf(home) ??
    (await runUntilStopped({
      home,
      port,
      settings: settingsNow(),
      settingsNow,
      progress: showProgress(),
      // Restarts must not wait for a reader: console.log blocks on a full pipe (measured).
      log: (line) => output.write(`${line}\n`),
      ready: (run) =>
        console.log(welcome(home, run, { tookMs: performance.now() - startedMs, detached: false })),
    }))
  if (!other) return 0
  const run = await awaitRunning(home, other)
  console.log(
    `Already running (process ${other.pid}) at ${run.url}. ${commandFor(home, 'status')} shows more, ${commandFor(home, 'down')} stops it.`,
  )
  return 0
}
