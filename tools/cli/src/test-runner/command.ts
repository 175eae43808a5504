import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { isCode } from '@palanquin/embedded/file'
import { PROJECT_ROOT } from '@palanquin/stack/project'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'

/** A test process that runs this long is stuck; it is ended so that the rest still runs. */
const DEADLINE_MS = 3 * TEST_TIMEOUT_MS
const KILL_AFTER_MS = 5_000

export type Ran = { exitCode: number; output: string }

type Options = {
  cwd?: string
  env?: Record<string, string | undefined>
  deadlineMs?: number | undefined
  signal: AbortSignal
}

/**
 * Runs a program to its end and returns its output; one that outlasts the deadline is ended. The output goes
 * through a file, because a pipe stays open as long as any grandchild. The program has its own process
 * group, so that its children end with it.
 */
export async function runCommand(
  command: readonly string[],
  { cwd = PROJECT_ROOT, env = {}, deadlineMs = DEADLINE_MS, signal }: Options,
): Promise<Ran> {
  const folder = mkdtempSync(join(tmpdir(), 'palanquin-output-'))
  const file = join(folder, 'output')
  const output = openSync(file, 'w')
  const child = Bun.spawn([...command], {
    cwd,
    env: { ...environment(), ...env },
    stdio: ['ignore', output, output],
    detached: true,
  })
  closeSync(output)
  let note = ''
  let last: ReturnType<typeof setTimeout> | undefined
  const end = (why: string) => {
    note ||= `\n${why}\n`
    endGroup(child.pid, 'SIGTERM')
    last ??= setTimeout(() => endGroup(child.pid, 'SIGKILL'), KILL_AFTER_MS)
  }
  const deadline = setTimeout(() => end(`Not finished within ${deadlineMs / 1000} s: stopped.`), deadlineMs)
  const abort = () => end('Stopped.')
  signal.addEventListener('abort', abort, { once: true })
  try {
    await child.exited
    return { exitCode: child.exitCode ?? 128, output: readFileSync(file, 'utf8') + note }
  } finally {
    clearTimeout(deadline)
    clearTimeout(last)
    signal.removeEventListener('abort', abort)
    if (note) endGroup(child.pid, 'SIGKILL')
    rmSync(folder, { recursive: true })
  }
}

function endGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal)
  } catch (error) {
    if (!isCode(error, 'ESRCH')) throw error // the whole group has ended
  }
}

/** This Bun first on the PATH, and no telemetry. */
function environment(): Record<string, string | undefined> {
  return {
    ...process.env,
    PATH: `${dirname(process.execPath)}:${process.env.PATH ?? '/usr/bin:/bin'}`,
    TURBO_TELEMETRY_DISABLED: '1',
    DO_NOT_TRACK: '1',
    NO_COLOR: '1',
  }
}
