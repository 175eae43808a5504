import { createReadStream, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseEnv } from 'node:util'
import { testRedis } from '@palanquin/testing/redis'
import type { TestServer } from '@palanquin/testing/server'
import postgres from 'postgres'
import { type Api, openApi } from '../api.ts'
import { closeOnInterrupt } from '../lifecycle/interruption.ts'
import { takeDown } from '../lifecycle/take-down.ts'
import { MAIN_FILE, PROJECT_ROOT } from '../project.ts'
import { type Home, homeAt } from '../run-state/home.ts'
import { type RunFile, readRunFile } from '../run-state/run-file.ts'
import { noSettings } from '../settings/settings.ts'
import { GATEWAY, SERVICES } from '../units/services.ts'
import { copyStackTemplate } from './stack-template.ts'

/** Tests do not wait five minutes for a flush. */
const EVERY_SECOND = '* * * * * *'
export type ThrowawayStack = {
  home: Home
  api: Api
  settings: Record<string, string>
  /** What runs now: a restarted service has another pid. */
  running: () => RunFile
  /** Direct access to PostgreSQL. */
  sql: postgres.Sql
  /** The process of Redis, or those of all nodes of the cluster, and SIGSTOP and SIGCONT for them. */
  redis: Pick<TestServer, 'suspend' | 'resume' | 'pids'>
  /** What the launcher printed while starting it. */
  said: string
  /** Releases it after all its processes were killed; its folder stays. */
  abandon: () => Promise<void>
  close: () => Promise<void>
}

/**
 * A whole stack in its own home, for e2e tests and benchmarks, started like a user would and called only
 * through its HTTPS gateway. Settings are defaults except for the given ones; `folder` is an existing home,
 * `settingsFile` a file that restarts read again. TEST_COPIES=2 starts two copies of each service,
 * TEST_REDIS=cluster a Redis Cluster; TEST_STACK_TEMPLATE is what the database of a new home is copied from.
 */
export async function startThrowawayStack(
  settings: Record<string, string> = {},
  { folder = newFolder(settings), settingsFile }: { folder?: string; settingsFile?: string } = {},
): Promise<ThrowawayStack> {
  const home = homeAt(folder)
  const { TEST_COPIES = '', TEST_REDIS } = process.env
  const redis = TEST_REDIS === 'cluster' && !settings.REDIS_URL ? await testRedis() : undefined
  const unset = noSettings(PROJECT_ROOT)
  if (settingsFile)
    for (const name of Object.keys(parseEnv(readFileSync(settingsFile, 'utf8')))) delete unset[name]
  const env = {
    ...process.env,
    ...unset,
    ...(settingsFile ? { SETTINGS_FILE: settingsFile } : {}),
    FLUSH_SCHEDULE: EVERY_SECOND,
    COPIES: TEST_COPIES,
    ...(redis ? { REDIS_URL: redis.url } : {}),
    ...settings,
  }
  const forget = closeOnInterrupt(async () => {
    await child.exited
    await takeDown(home)
    await redis?.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const child = Bun.spawn(
    [process.execPath, '--no-env-file', MAIN_FILE, 'up', '--detach', '--port', '0', '--home', folder],
    {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  const [out, problems, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  if (code !== 0) {
    forget()
    throw new Error(`the stack did not come up:\n${out}${problems}`)
  }
  const running = () => {
    const run = readRunFile(home)
    if (!run) throw new Error(`${home.runFile} is gone`)
    return run
  }
  const sql = postgres(running().databaseUrl, { max: 2, onnotice: () => {} })
  return {
    home,
    api: openApi(running(), settings, { isPatient: true }),
    settings,
    running,
    sql,
    redis: redis ?? {
      pids: () => [storePid(home, 'redis')],
      suspend: () => void process.kill(storePid(home, 'redis'), 'SIGSTOP'),
      resume: () => void process.kill(storePid(home, 'redis'), 'SIGCONT'),
    },
    said: out + problems,
    abandon: async () => {
      forget()
      await sql.end({ timeout: 0 })
    },
    close: async () => {
      forget()
      await sql.end({ timeout: 2 })
      await takeDown(home)
      await redis?.close()
      const refused = await refusedRights(home)
      rmSync(folder, { recursive: true, force: true })
      if (refused.length > 0)
        throw new Error(
          `a service lacks a right (stack/settings/redis-users.ts, db/roles.ts):\n${refused.join('\n')}`,
        )
    },
  }
}

function newFolder({ DATABASE_URL }: Record<string, string>): string {
  const { TEST_JOURNEYS_DIR, TEST_STACK_TEMPLATE } = process.env
  const folder = mkdtempSync(join(TEST_JOURNEYS_DIR ?? tmpdir(), 'palanquin-throwaway-'))
  if (TEST_STACK_TEMPLATE && !DATABASE_URL) copyStackTemplate(TEST_STACK_TEMPLATE, folder)
  return folder
}

/** How the stores report a missing right. */
const NO_RIGHT = /NOPERM|The user executing the script|permission denied for|must be owner of/

/**
 * Log lines about a refused command: e2e tests run with the rights of production. Read line by line: a benchmark's log
 * may have gigabytes.
 */
async function refusedRights(home: Home): Promise<string[]> {
  const refused: string[] = []
  for (const service of [GATEWAY, ...SERVICES]) {
    const file = home.logFile(service)
    if (!existsSync(file)) continue
    for await (const line of createInterface({ input: createReadStream(file) }))
      if (NO_RIGHT.test(line)) refused.push(line)
  }
  return refused
}

/** The process of one of the home's stores. */
export function storePid(home: Home, store: 'postgres' | 'redis'): number {
  const record: { pid: number } = JSON.parse(readFileSync(home.pidFile(store), 'utf8'))
  return record.pid
}
