import { dirname, join, resolve } from 'node:path'
import { SQL } from 'bun'
import { keepSecret, newSecret, readIfThere, writeAtomically } from './file.ts'
import { withLock } from './lock.ts'
import type { Account } from './postgres/account.ts'
import { findPostgres, MAJOR, type PostgresBinaries } from './postgres/binaries.ts'
import {
  clearStaleLock,
  clusterIn,
  DATABASE,
  ensureCluster,
  openFolder,
  SUPERUSER,
  saysReady,
  setPassword,
} from './postgres/cluster.ts'
import { adopt } from './process.ts'
import { type RunningServer, type ServerSpec, startServer, stopServer } from './server.ts'

const PROBE_TIMEOUT_S = 5
const STOP_GRACE_MS = 20_000 // a fast shutdown writes a checkpoint

/** For two cores and little memory, shared with everything else. */
const SETTINGS = {
  shared_buffers: '128MB',
  max_connections: '100',
  synchronous_commit: 'on',
  max_wal_size: '1GB',
  jit: 'off', // our statements are short: compiling them costs more than it saves
  timezone: 'UTC',
  log_timezone: 'UTC',
}

export type PostgresOptions = {
  dataDir: string
  /** Of another version, for tests. */
  binaries?: PostgresBinaries | undefined
  logFile: string
  port?: number | undefined
  /** Also listen on a Unix socket in this folder. */
  socketDir?: string | undefined
  /** Default: beside the data. */
  pidFile?: string | undefined
  passwordFile?: string | undefined
  settings?: Record<string, string> | undefined
  /** For tests only: nothing survives a power cut, and everything is faster. */
  nofsync?: boolean | undefined
  onProgress?: ((detail: string) => void) | undefined
  signal?: AbortSignal | undefined
}
export type RunningPostgres = RunningServer & { url: string; password: string }

/** Starts PostgreSQL on 127.0.0.1, or adopts the one already running on that data. */
export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const dataDir = resolve(options.dataDir)
  return await withLock(`${pidFileOf(options)}.lock`, async () => {
    const binaries = options.binaries ?? findPostgres()
    const account = openFolder(dataDir, binaries)
    const fsync = !options.nofsync
    const passwordFile = options.passwordFile ?? join(dirname(dataDir), 'postgres.password')
    if (
      readIfThere(passwordFile) === undefined &&
      clusterIn(dataDir, binaries) &&
      !adopt(pidFileOf(options), identityOf(options).marker)
    )
      await renewPassword(passwordFile, { dataDir, account, binaries, fsync })
    const password = keepSecret(passwordFile)
    const cluster = await ensureCluster(dataDir, {
      account,
      binaries,
      password,
      fsync,
      onProgress: options.onProgress ?? (() => {}),
    })
    const url = (port: number) => `postgres://${SUPERUSER}:${password}@127.0.0.1:${port}/${DATABASE}`
    const server = await startServer({
      ...identityOf(options),
      ...options,
      name: 'PostgreSQL',
      pidFile: pidFileOf(options),
      launch: (port) =>
        account.launch([binaries.postgres, '-D', cluster, '-p', `${port}`, ...switches(options)]),
      prepare: () => clearStaleLock(cluster),
      probe: async (port, pid) => saysReady(cluster, pid) && (await answers(url(port), cluster)),
      passing: /is still in use|is the database system already running|lock file .* already exists/,
    })
    return { ...server, url: url(server.port), password }
  })
}

/** Sets a new password after the password file was lost. */
async function renewPassword(
  passwordFile: string,
  cluster: { dataDir: string; account: Account; binaries: PostgresBinaries; fsync: boolean },
): Promise<void> {
  const password = newSecret()
  await setPassword(password, cluster)
  writeAtomically(passwordFile, `${password}\n`)
}

/** Ends the PostgreSQL that runs on this data; false when none does. */
export function stopPostgres(
  options: Pick<PostgresOptions, 'dataDir' | 'pidFile' | 'binaries'>,
): Promise<boolean> {
  return stopServer({ ...identityOf(options), pidFile: pidFileOf(options) })
}

function identityOf({
  dataDir,
  binaries,
}: Pick<PostgresOptions, 'dataDir' | 'binaries'>): Pick<ServerSpec, 'marker' | 'stopSignal' | 'stopGraceMs'> {
  // SIGINT is a fast shutdown; SIGTERM would wait for every client to leave
  return {
    marker: `postgres -D ${join(resolve(dataDir), binaries?.major ?? MAJOR)}`,
    stopSignal: 'SIGINT',
    stopGraceMs: STOP_GRACE_MS,
  }
}

function pidFileOf({ dataDir, pidFile }: Pick<PostgresOptions, 'dataDir' | 'pidFile'>): string {
  return pidFile ?? `${resolve(dataDir)}.pid`
}

function switches({ socketDir, settings, nofsync }: PostgresOptions): string[] {
  const unsafe = nofsync ? { fsync: 'off', full_page_writes: 'off' } : {}
  const listen = { listen_addresses: '127.0.0.1', unix_socket_directories: socketDir ?? '' }
  return Object.entries({ ...SETTINGS, ...unsafe, ...settings, ...listen }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ])
}

/** Whether it accepts our password and answers a query; throws when it never will. */
async function answers(url: string, cluster: string): Promise<boolean> {
  const sql = new SQL(url, { max: 1, connectionTimeout: PROBE_TIMEOUT_S })
  const late = Bun.sleep(PROBE_TIMEOUT_S * 1000).then(() => false)
  const asked = sql`SELECT 1`.then(
    () => true,
    (error: unknown) => {
      if (error instanceof SQL.PostgresError && error.errno === '28P01') {
        throw new Error(
          `The stored password is wrong for ${cluster}: restore the password file, or remove that folder to start empty.`,
        )
      }
      return false // starting or stopping: probed again
    },
  )
  try {
    return await Promise.race([asked, late])
  } finally {
    await sql.close({ timeout: 0 })
  }
}
