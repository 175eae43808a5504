import { dirname } from 'node:path'
import { PROJECT_ROOT } from '../project.ts'

/** Nothing here takes minutes; what does is stuck, and is ended so that the rest still runs. */
const DEADLINE_MS = 6 * 60_000
const KILL_AFTER_MS = 5_000

export type Ran = { exitCode: number; output: string }

type Options = { cwd?: string; env?: Record<string, string | undefined>; signal: AbortSignal }

/** Runs a program to its end, its output kept; one that outlasts the deadline is ended. */
export async function runCommand(
  command: readonly string[],
  { cwd = PROJECT_ROOT, env = {}, signal }: Options,
): Promise<Ran> {
  const child = Bun.spawn([...command], {
    cwd,
    env: { ...environment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let note = ''
  let last: ReturnType<typeof setTimeout> | undefined
  const end = (why: string) => {
    note ||= `\n${why}\n`
    child.kill('SIGTERM')
    last ??= setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_MS)
  }
  const deadline = setTimeout(
    () => end(`It did not end within ${DEADLINE_MS / 1000} s and was stopped.`),
    DEADLINE_MS,
  )
  const abort = () => end('Stopped.')
  signal.addEventListener('abort', abort, { once: true })
  try {
    const [out, problems] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    return { exitCode: child.exitCode ?? 128, output: `${out}${problems}${note}` }
  } finally {
    clearTimeout(deadline)
    clearTimeout(last)
    signal.removeEventListener('abort', abort)
  }
}

/** This very Bun first on the PATH, and nothing that phones home. */
function environment(): Record<string, string | undefined> {
  return {
    ...process.env,
    PATH: `${dirname(process.execPath)}:${process.env.PATH ?? '/usr/bin:/bin'}`,
    TURBO_TELEMETRY_DISABLED: '1',
    DO_NOT_TRACK: '1',
    NO_COLOR: '1',
  }
}
