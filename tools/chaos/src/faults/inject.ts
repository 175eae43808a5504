import type { Home } from '@palanquin/stack/run-state/home'
import type { RunFile } from '@palanquin/stack/run-state/run-file'
import postgres from 'postgres'
import { describeFault, type Fault, type Process } from './faults.ts'
import type { Links } from './links.ts'
import { processOf, processTreeOf, signal } from './processes.ts'

const LOCK_KEY = 'flush:lock'
/** As long as the real lease (specification 4.5). */
const STOLEN_MS = 5_000

/**
 * Querying a dying server for its array types would end this process (postgres.js, see
 * `@palanquin/db/pool`).
 */
export const WITHOUT_TYPE_QUERY = { fetch_types: false } as const

type Options = { home: Home; run: RunFile; links: Links; log: (line: string) => void }

/** Injects faults into a running stack. */
export function injector({ home, run, links, log }: Options) {
  const underWay = new Set<Promise<void>>()
  /** How many faults hold a link broken or a process stopped: the last to end heals it. */
  const active = new Map<string, number>()

  const healAfter = async (name: string, forMs: number, heal: () => Promise<void> | void) => {
    active.set(name, (active.get(name) ?? 0) + 1)
    await Bun.sleep(forMs)
    const left = (active.get(name) ?? 1) - 1
    active.set(name, left)
    if (left === 0) await heal()
  }

  const suspend = async (target: Process, forMs: number) => {
    const main = processOf(home, target)
    if (!main) return
    const processes = target === 'postgres' ? processTreeOf(main) : [main]
    for (const member of processes) signal(member, 'SIGSTOP')
    await Bun.sleep(forMs)
    for (const member of processes.toReversed()) signal(member, 'SIGCONT')
  }

  const apply = async (fault: Fault): Promise<void> => {
    switch (fault.kind) {
      case 'kill':
      case 'restart': {
        const main = processOf(home, fault.target)
        if (main) signal(main, fault.kind === 'kill' ? 'SIGKILL' : stopSignalOf(fault.target))
        return
      }
      case 'suspend':
        return suspend(fault.target, fault.forMs)
      case 'link':
        await links.break(fault.link, fault.break)
        return healAfter(fault.link, fault.forMs, () => links.heal(fault.link))
      case 'steal':
        return withRedis(run, (redis) => redis.send('SET', [LOCK_KEY, 'a thief', 'PX', String(STOLEN_MS)]))
      case 'expire':
        return withRedis(run, (redis) => redis.send('PEXPIRE', [LOCK_KEY, '1']))
      case 'backends':
        return terminateBackends(run)
    }
  }

  return {
    /** Starts a fault; it ends by itself. A fault whose target is down already is skipped. */
    begin: (fault: Fault): void => {
      log(describeFault(fault))
      const work = apply(fault)
        .catch((error: unknown) => log(`  not now: ${error instanceof Error ? error.message : error}`))
        .finally(() => underWay.delete(work))
      underWay.add(work)
    },
    /** Resolves once every fault has ended. */
    healed: async (): Promise<void> => {
      await Promise.all(underWay)
    },
  }
}

/** On SIGTERM PostgreSQL waits for its clients to leave, which never happens here. */
const stopSignalOf = (target: Process): NodeJS.Signals => (target === 'postgres' ? 'SIGINT' : 'SIGTERM')

async function withRedis(run: RunFile, work: (redis: Bun.RedisClient) => Promise<unknown>): Promise<void> {
  const redis = new Bun.RedisClient(run.redisUrl, { connectionTimeout: 1_000, autoReconnect: false })
  try {
    await work(redis)
  } finally {
    redis.close()
  }
}

async function terminateBackends(run: RunFile): Promise<void> {
  const sql = postgres(run.databaseUrl, {
    max: 1,
    connect_timeout: 1,
    ...WITHOUT_TYPE_QUERY,
    onnotice: () => {},
  })
  try {
    await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
               WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'`
  } finally {
    await sql.end({ timeout: 1 })
  }
}
