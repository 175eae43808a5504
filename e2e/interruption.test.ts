import { expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MAIN_FILE } from '@palanquin/stack/project'
import { homeAt } from '@palanquin/stack/run-state/home'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'

const PID_FILE = /\.pid$/

test(
  'a chaos run ended with Ctrl-C leaves no process behind',
  async () => {
    const home = homeAt(mkdtempSync(join(process.env.TEST_JOURNEYS_DIR ?? tmpdir(), 'palanquin-ended-')))
    const args = ['chaos', '--minutes', '5', '--walkers', '5', '--home', home.folder]
    const run = Bun.spawn([process.execPath, '--no-env-file', MAIN_FILE, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const pids = await until(
      () => {
        const found = existsSync(home.runFolder) ? pidsIn(home.runFolder) : []
        return found.length >= 8 && found
      },
      { what: 'every process of the stack' },
    )
    run.kill('SIGINT')
    expect(await run.exited).toBe(130)
    expect(pids.filter(isOfHome(home.folder))).toEqual([])
    rmSync(home.folder, { recursive: true, force: true })
  },
  TEST_TIMEOUT_MS,
)

const pidsIn = (folder: string): number[] =>
  readdirSync(folder)
    .filter((file) => PID_FILE.test(file))
    .map((file): { pid: number } => JSON.parse(readFileSync(join(folder, file), 'utf8')))
    .map(({ pid }) => pid)

/** A pid may be reused: the command line identifies the process. */
const isOfHome = (folder: string) => (pid: number) => {
  const commandLine = `/proc/${pid}/cmdline`
  return existsSync(commandLine) && readFileSync(commandLine, 'utf8').includes(folder)
}
