import { readdirSync, readFileSync } from 'node:fs'
import { isCode } from '@palanquin/embedded/file'
import type { Sql } from 'postgres'
import type { Deployment } from '../deployment.ts'
import { processesOf } from '../faults/faults.ts'
import { processOf, processTreeOf } from '../faults/processes.ts'
import type { Sample } from './slope.ts'

const MEBIBYTE_KB = 1024

/** Everything that must not grow, by name, over time. Linux only: it reads /proc. */
export function openSampler({ home }: Deployment, sql: Sql, redis: Bun.RedisClient, beganMs: number) {
  const series = new Map<string, Sample[]>()
  const note = (name: string, value: number) => {
    const list = series.get(name) ?? []
    list.push({ atMs: performance.now() - beganMs, value })
    series.set(name, list)
  }
  const look = async (): Promise<void> => {
    for (const name of processesOf(1)) {
      const main = processOf(home, name)
      if (!main) continue
      const pids = (name === 'postgres' ? processTreeOf(main) : [main]).map(({ pid }) => pid)
      note(`${name}: memory, MiB`, total(pids, memoryMib))
      note(`${name}: handles`, total(pids, handles))
    }
    note('Redis: keys', Number(await redis.send('DBSIZE', [])))
    note('Redis: connections', await clientsOf(redis))
    const [row] =
      await sql`SELECT count(*)::int AS n FROM pg_stat_activity WHERE backend_type = 'client backend'`
    note('PostgreSQL: connections', Number(row?.n))
  }
  return { look, series }
}

async function clientsOf(redis: Bun.RedisClient): Promise<number> {
  const info = String(await redis.send('INFO', ['clients']))
  return Number(/connected_clients:(\d+)/.exec(info)?.[1])
}

const total = (pids: readonly number[], of: (pid: number) => number): number =>
  pids.reduce((all, pid) => all + of(pid), 0)

/**
 * Private memory. Mapped files such as the program are shared between processes, and PostgreSQL's shared
 * buffers fill up to their fixed size (`shared_buffers`).
 */
function memoryMib(pid: number): number {
  const text = readProc(`/proc/${pid}/smaps_rollup`) ?? readProc(`/proc/${pid}/status`) ?? ''
  return Number(/^(?:Pss_Anon|RssAnon):\s+(\d+) kB/m.exec(text)?.[1] ?? 0) / MEBIBYTE_KB
}

function handles(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length
  } catch (error) {
    if (isGone(error)) return 0
    throw error
  }
}

function readProc(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (isGone(error)) return undefined
    throw error
  }
}

/** The process has ended, or is another user's. */
const isGone = (error: unknown): boolean =>
  ['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].some((code) => isCode(error, code))
