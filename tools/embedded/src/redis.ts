import { connect } from 'node:net'
import { join, resolve } from 'node:path'
import { makeFolder } from '@palanquin/files/durable'
import { withLock } from './lock.ts'
import { findRedis } from './redis/binary.ts'
import { type Repair, repairOf } from './redis/repair.ts'
import { type RunningServer, type ServerSpec, startServer, stopServer } from './server.ts'

const PROBE_TIMEOUT_MS = 1000
const STOP_GRACE_MS = 10_000

export type RedisOptions = {
  dataDir: string
  logFile: string
  /** Where a fetched redis-server is kept; may be shared. */
  toolchainDir: string
  port?: number | undefined
  pidFile?: string | undefined
  password?: string | undefined
  /** Its user `default` must keep `password`, and no `password` means none. */
  aclFile?: string | undefined
  /** As Redis writes it: `64mb`. Left out: no limit. */
  maxmemory?: string | undefined
  /** Further settings, after and over ours: `['--appendfsync', 'always']`. */
  extraArgs?: string[] | undefined
  onProgress?: ((detail: string) => void) | undefined
  signal?: AbortSignal | undefined
}
export type RunningRedis = RunningServer & {
  url: string
  /** Repairs of its append-only file before it could start. */
  repairs: readonly Repair[]
}

/** Starts Redis on 127.0.0.1, or adopts the one already running on that data. */
export async function startRedis(options: RedisOptions): Promise<RunningRedis> {
  const file = confOf(options)
  makeFolder(resolve(options.dataDir), 0o700)
  return await withLock(`${pidFileOf(options)}.lock`, async () => {
    const binary = await findRedis(resolve(options.toolchainDir), {
      onProgress: options.onProgress ?? (() => {}),
      signal: options.signal,
    })
    const { path, env } = binary
    const repairs: Repair[] = []
    const repair = repairOf(resolve(options.dataDir), binary)
    const server = await startServer({
      ...identityOf(options),
      ...options,
      name: 'Redis',
      pidFile: pidFileOf(options),
      launch: (port) => ({
        command: [path, file, ...(options.extraArgs ?? [])],
        env,
        config: { file, text: configText(options, port) },
      }),
      repair: (said) => {
        const done = repair(said)
        if (done) repairs.push(done)
        return done !== undefined
      },
      probe: (port, pid) => answersPong(port, { pid, password: options.password }),
    })
    return {
      ...server,
      repairs,
      url: `redis://${options.password ? `default:${options.password}@` : ''}127.0.0.1:${server.port}`,
    }
  })
}

/** Ends the Redis that runs on this data; false when none does. */
export function stopRedis(options: Pick<RedisOptions, 'dataDir' | 'pidFile'>): Promise<boolean> {
  return stopServer({ ...identityOf(options), pidFile: pidFileOf(options) })
}

function identityOf(
  options: Pick<RedisOptions, 'dataDir'>,
): Pick<ServerSpec, 'marker' | 'stopSignal' | 'stopGraceMs'> {
  return { marker: `redis-server ${confOf(options)}`, stopSignal: 'SIGTERM', stopGraceMs: STOP_GRACE_MS }
}

function pidFileOf({ dataDir, pidFile }: Pick<RedisOptions, 'dataDir' | 'pidFile'>): string {
  return pidFile ?? `${resolve(dataDir)}.pid`
}

function confOf({ dataDir }: Pick<RedisOptions, 'dataDir'>): string {
  return join(resolve(dataDir), 'redis.conf')
}

/** A private file rather than switches: everyone can read a command line, and the password is in here. */
function configText({ dataDir, password, aclFile, maxmemory }: RedisOptions, port: number): string {
  const settings: Record<string, string | undefined> = {
    bind: '127.0.0.1',
    port: `${port}`,
    'protected-mode': 'yes',
    daemonize: 'no',
    dir: JSON.stringify(resolve(dataDir)),
    appendonly: 'yes',
    appendfsync: 'everysec',
    save: '""', // the append-only file is enough
    // A rewrite copies all that Redis holds beside the requests (docs/adr/0043-housekeeping-less-often.md).
    'auto-aof-rewrite-min-size': '256mb',
    rdbcompression: 'no',
    'maxmemory-policy': 'noeviction',
    maxmemory,
    requirepass: password,
    aclfile: aclFile && JSON.stringify(resolve(aclFile)),
    'set-proc-title': 'no', // identifies an orphan by its command line
  }
  return Object.entries(settings)
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${value}\n`]))
    .join('')
}

/** Whether that very process answers PONG; LOADING, or no connection, is not yet. */
function answersPong(
  port: number,
  { pid, password }: { pid: number; password: string | undefined },
): Promise<boolean> {
  return new Promise((settle, reject) => {
    const socket = connect({ port, host: '127.0.0.1', timeout: PROBE_TIMEOUT_MS })
    let answer = ''
    socket.on('connect', () =>
      socket.end(`${password ? `AUTH ${password}\r\n` : ''}PING\r\nINFO server\r\nQUIT\r\n`),
    )
    socket.on('data', (bytes) => {
      answer += bytes.toString()
    })
    socket.on('timeout', () => socket.destroy())
    socket.on('error', () => settle(false)) // refused: it does not listen yet
    socket.on('close', () => {
      if (/^-(WRONGPASS|NOAUTH)/m.test(answer))
        reject(new Error(`Redis on port ${port} does not accept its own password.`))
      else settle(answer.includes('+PONG\r\n') && answer.includes(`\nprocess_id:${pid}\r\n`))
    })
  })
}
