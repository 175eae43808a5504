import { readFileSync } from 'node:fs'
import { identify } from '@palanquin/embedded/process'
import { MAIN_FILE, PROJECT_ROOT } from '@palanquin/stack/project'
import { noSettings } from '@palanquin/stack/settings/settings'
import { startThrowawayStack, type ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { until } from '@palanquin/testing/until'
import { type Benchmark, ROUNDS } from '../benchmark.ts'

const START_MS_MAX = 1_500
/** As `up` prints it: `✓ Gateway, tracking, … 0.7 s`. */
const SERVICES_STEP = /Gateway\D*(\d[\d.]*) s/
const READY_STEP = /Ready\D*(\d[\d.]*) s/

/** Kills all services, leaves the stores running, and runs `up` again. */
export const start: Benchmark = {
  name: 'start',
  question: `from no service to /ready 200 of all, the stores running, against ${START_MS_MAX} ms`,
  better: 'less',
  wanted: 1,
  run: async (log) => {
    const stack = await startThrowawayStack()
    try {
      const ours: number[] = []
      const wholeMs: number[] = []
      for (let round = 0; round < ROUNDS; round++) {
        await killServices(stack)
        const startedMs = performance.now()
        const output = await up(stack)
        wholeMs.push(performance.now() - startedMs)
        ours.push((secondsOf(output, SERVICES_STEP) + secondsOf(output, READY_STEP)) * 1_000)
        log(`round ${round + 1} of ${ROUNDS}: ${ours.at(-1)?.toFixed(0)} ms`)
      }
      return {
        unit: 'ms',
        ours,
        yardstick: ours.map(() => START_MS_MAX),
        notes: [
          'the yardstick is the figure that is wanted',
          `the whole of ./palanquin up --detach, launcher, stores looked at and migrations checked: ${Math.min(...wholeMs).toFixed(0)} to ${Math.max(...wholeMs).toFixed(0)} ms`,
        ],
      }
    } finally {
      await stack.close()
    }
  },
}

async function killServices({ home, running }: ThrowawayStack): Promise<void> {
  const supervisor: { pid: number } = JSON.parse(readFileSync(home.supervisorFile, 'utf8'))
  const pids = [supervisor.pid, ...Object.values(running().services).map(({ pid }) => pid)]
  for (const pid of pids) process.kill(pid, 'SIGKILL')
  await until(() => pids.every((pid) => identify(pid) === undefined), { what: 'the end of all services' })
}

async function up({ home, settings }: ThrowawayStack): Promise<string> {
  const child = Bun.spawn(
    [process.execPath, '--no-env-file', MAIN_FILE, 'up', '--detach', '--port', '0', '--home', home.folder],
    { env: { ...process.env, ...noSettings(PROJECT_ROOT), ...settings }, stdio: ['ignore', 'pipe', 'pipe'] },
  )
  const [out, problems, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  if (code !== 0) throw new Error(`the stack did not come up again:\n${out}${problems}`)
  return out
}

function secondsOf(output: string, step: RegExp): number {
  const text = step.exec(output)?.[1]
  if (text === undefined) throw new Error(`up did not print how long it took:\n${output}`)
  return Number(text)
}
