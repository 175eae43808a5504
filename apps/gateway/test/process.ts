import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Environment } from '@palanquin/service/config'
import { programOf } from '@palanquin/testing/program'
import { until } from '@palanquin/testing/until'
import type { BunFile } from 'bun'
import { CERTIFICATE_FILE, environment, type Services } from './gateway.ts'

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url))

/** Gateways in their own processes, over services and a Redis that exist when they start. */
export function gatewayProcesses(stores: () => { services: Services; redisUrl: string }) {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-main-'))
  const started: Bun.Subprocess[] = []
  const spawn = (env: Environment, stdout: 'pipe' | BunFile = 'pipe') => {
    const { services, redisUrl } = stores()
    const child = Bun.spawn([process.execPath, 'run', programOf(MAIN)], {
      env: { PATH: process.env.PATH, ...environment(services, redisUrl), LOG_LEVEL: 'info', ...env },
      stdout,
      stderr: 'pipe',
    })
    started.push(child)
    return child
  }
  return {
    spawn,
    /** One that is ready. */
    start: async (name: string, env: Environment = {}) => {
      const readyFile = join(folder, `${name}.json`)
      const logFile = join(folder, `${name}.log`)
      const child = spawn({ READY_FILE: readyFile, ...env }, Bun.file(logFile))
      await until(() => existsSync(readyFile), { what: `${name} listens` })
      const { url, metricsUrl, pid } = JSON.parse(readFileSync(readyFile, 'utf8')) as Record<string, string>
      return {
        child,
        log: () => readFileSync(logFile, 'utf8'),
        pid,
        url,
        metricsUrl: String(metricsUrl),
        call: (path: string, init: BunFetchRequestInit = {}) =>
          fetch(url + path, { ...init, tls: { ca: Bun.file(CERTIFICATE_FILE) } }),
      }
    },
    kill: async () => {
      for (const child of started.splice(0)) {
        child.kill('SIGKILL')
        await child.exited
      }
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  }
}
