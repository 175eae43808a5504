import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { withLock } from '@palanquin/embedded/lock'
import { newPort } from '@palanquin/embedded/port'
import { librariesOf } from '@palanquin/embedded/redis/binary'
import { type DebianProgram, fetchProgram } from '@palanquin/embedded/redis/fetch'
import postgres from 'postgres'
import { toolchainDir } from './toolchain.ts'
import { until } from './until.ts'

const PACKAGE: DebianProgram = { name: 'PgBouncer', root: 'pgbouncer', packages: ['pgbouncer'] }
type Program = { path: string; env: Record<string, string> }

/** Debian's PgBouncer: the machine's, else one that is fetched once; or the reason why there is none. */
export async function findPgBouncer(): Promise<Program | { problem: string }> {
  const installed = Bun.which('pgbouncer', { PATH: `${process.env.PATH}:/usr/sbin` })
  if (installed) return { path: installed, env: {} }
  const folder = join(toolchainDir, 'pgbouncer')
  const problem = await withLock(`${folder}.lock`, async () =>
    existsSync(folder) ? undefined : fetchProgram(PACKAGE, folder, { onProgress: () => {} }),
  )
  return problem ? { problem } : { path: join(folder, 'usr/sbin/pgbouncer'), env: librariesOf(folder) }
}

/** PgBouncer in transaction mode before a server, with nothing set but what it needs. */
export async function startPgBouncer(
  { path, env }: Program,
  databaseUrl: string,
): Promise<{ url: string; close: () => Promise<void> }> {
  const server = new URL(databaseUrl)
  const folder = mkdtempSync(join(tmpdir(), 'palanquin-pgbouncer-'))
  chmodSync(folder, 0o755) // as root it becomes nobody
  const port = await newPort()
  if (port === undefined) throw new Error('there is no free port')
  const users = join(folder, 'users.txt')
  writeFileSync(users, `"${server.username}" "${server.password}"\n`)
  const lines = [
    '[databases]',
    `* = host=${server.hostname} port=${server.port}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = scram-sha-256',
    `auth_file = ${users}`,
    'pool_mode = transaction',
    'default_pool_size = 3',
  ]
  writeFileSync(join(folder, 'pgbouncer.ini'), `${lines.join('\n')}\n`)
  const asNobody = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  const child = Bun.spawn([path, ...asNobody, '-q', join(folder, 'pgbouncer.ini')], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'ignore'],
  })
  server.port = `${port}`
  const url = server.href
  const answers = async () => {
    const sql = postgres(url, { max: 1, prepare: false, connect_timeout: 5 })
    await sql`SELECT 1`.finally(() => sql.end({ timeout: 1 }))
    return true
  }
  await until(answers, { what: 'PgBouncer' })
  return {
    url,
    close: async () => {
      child.kill()
      await child.exited
      rmSync(folder, { recursive: true })
    },
  }
}
