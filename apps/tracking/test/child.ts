import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Environment } from '@palanquin/service/config'
import { programOf } from '@palanquin/testing/program'
import { until } from '@palanquin/testing/until'
import { type Stores, TOKEN } from './harness.ts'

const entry = (file: string) => fileURLToPath(new URL(`../src/${file}`, import.meta.url))

const running = new Set<Bun.Subprocess>()

/** Ends what a failed test left running. */
export async function killChildren(): Promise<void> {
  for (const child of running) {
    child.kill('SIGKILL')
    await child.exited
  }
}

export type Child = Awaited<ReturnType<typeof startChild>>

/**
 * The tracking service as a process of its own, to be killed. Resolves when it listens, or has died on the way.
 * `limit`: words for the shell that starts it, `ulimit -f 8`; `main`: another entry, for the map process.
 */
export async function startChild(
  given: Stores,
  env: Environment = {},
  { limit = '', main = 'main.ts' }: { limit?: string; main?: 'main.ts' | 'map/main.ts' } = {},
) {
  const readyFile = join(given.folder, `ready-${crypto.randomUUID()}.json`)
  const command = [process.execPath, 'run', programOf(entry(main))]
  const environment = { PATH: process.env.PATH ?? '', ...given.environment(env), READY_FILE: readyFile }
  const isShown = process.env.TEST_LOG_LEVEL !== undefined
  const child = Bun.spawn(limit ? ['/bin/sh', '-c', `${limit}; exec "$@"`, 'sh', ...command] : command, {
    env: isShown ? environment : { ...environment, LOG_LEVEL: 'error' },
    stdout: isShown ? 'inherit' : 'pipe',
    stderr: 'inherit',
  })
  running.add(child)
  const log = child.stdout ? child.stdout.text() : Promise.resolve('')
  let died = false
  void child.exited.then(() => {
    died = true
    running.delete(child)
  })
  const url = await until(() => died || readyUrl(readyFile), { what: 'tracking listens' })
  rmSync(readyFile, { force: true })
  const base = url === true ? 'http://127.0.0.1:9' : url
  return {
    pid: child.pid,
    url: base,
    /** Null when the connection broke: the request may have taken effect or not. */
    post: async (path: string, body: unknown = {}) => {
      try {
        const response = await fetch(`${base}${path}`, {
          method: 'POST',
          headers: { 'x-internal-token': TOKEN, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        })
        const json: unknown = await response.json()
        return { status: response.status, body: json, retryAfter: response.headers.get('retry-after') }
      } catch {
        return null
      }
    },
    died: () => died,
    suspend: () => child.kill('SIGSTOP'),
    resume: () => child.kill('SIGCONT'),
    kill9: async () => {
      child.kill('SIGKILL')
      await child.exited
    },
    /** SIGTERM; the exit code, or `late` where the machine was too slow for the seconds that a stop may take. */
    stop: async () => {
      child.kill('SIGTERM')
      const code = await child.exited
      return code === 1 && (await log).includes('service.drain_timed_out') ? 'late' : code
    },
  }
}

function readyUrl(file: string): string | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).url
  } catch {
    return null // not written yet
  }
}
