import { join, resolve } from 'node:path'
import { keepSecret } from './file.ts'
import { type PostgresOptions, startPostgres, stopPostgres } from './postgres.ts'
import { type RedisOptions, startRedis, stopRedis } from './redis.ts'

export type Store = 'postgres' | 'redis'
export type StepState = 'starting' | 'working' | 'ready' | 'failed'
export type StoresOptions = {
  /** Everything is written below it; one home, one set of stores. */
  home: string
  /** Fetched programs; may be shared by several homes. Default: below the home. */
  toolchainDir?: string | undefined
  /** External servers: these are used and not embedded. */
  external?: { databaseUrl?: string | undefined; redisUrl?: string | undefined } | undefined
  onProgress?: ((store: Store, state: StepState, detail?: string) => void) | undefined
  /** What an operator should read once all is up, such as a repair. */
  onNotice?: ((sentence: string) => void) | undefined
  postgres?: Pick<PostgresOptions, 'port' | 'settings' | 'nofsync' | 'socketDir'> | undefined
  redis?: Pick<RedisOptions, 'port' | 'aclFile' | 'maxmemory' | 'extraArgs'> | undefined
  /** When aborted, the start stops what it started. */
  signal?: AbortSignal | undefined
}
export type Stores = {
  databaseUrl: string
  redisUrl: string
  /** Whether Redis has lost entries since it last ran, although it may still have others. */
  redisWasCut: boolean
  /** Of the embedded ones only. */
  pids: Partial<Record<Store, number>>
  /** Ends the embedded ones, including adopted ones. */
  stop(): Promise<void>
}
type Embedded = { pid: number; stop(): Promise<void> }

/**
 * Starts those of PostgreSQL and Redis that are not external, at the same time, or adopts what a killed
 * launcher left of this home. If one cannot be started, ends the other and rejects with one sentence for a
 * user.
 */
export async function startStores(options: StoresOptions): Promise<Stores> {
  const files = layout(options.home)
  const up = new Map<Store, Embedded>()
  const step = async <T extends Embedded>(
    store: Store,
    start: (report: (detail: string) => void) => Promise<T>,
  ): Promise<T> => {
    const report = (state: StepState, detail?: string) => options.onProgress?.(store, state, detail)
    report('starting')
    try {
      const server = await start((detail) => report('working', detail))
      up.set(store, server)
      report('ready')
      return server
    } catch (error) {
      report('failed', error instanceof Error ? error.message : String(error))
      throw error
    }
  }
  const { external = {}, signal } = options
  let redisWasCut = false
  const stop = async () => {
    await Promise.all([...up.values()].map((server) => server.stop()))
  }
  const outcomes = await Promise.allSettled([
    external.databaseUrl ??
      step('postgres', (onProgress) =>
        startPostgres({ ...options.postgres, ...files.postgres, onProgress, signal }),
      ).then(({ url }) => url),
    external.redisUrl ??
      step('redis', (onProgress) => {
        const toolchainDir = options.toolchainDir ?? join(options.home, 'toolchain')
        return startRedis({
          ...options.redis,
          ...files.redis,
          password: keepSecret(files.secrets.redis),
          toolchainDir,
          onProgress,
          signal,
        })
      }).then(({ url, repairs }) => {
        redisWasCut = repairs.length > 0
        for (const { sentence } of repairs) options.onNotice?.(sentence)
        return url
      }),
  ] as const)
  const [database, redis] = outcomes
  if (database.status === 'fulfilled' && redis.status === 'fulfilled') {
    const pids = Object.fromEntries([...up].map(([store, { pid }]) => [store, pid]))
    return { databaseUrl: database.value, redisUrl: redis.value, redisWasCut, pids, stop }
  }
  await stop()
  throw outcomes.find((outcome) => outcome.status === 'rejected')?.reason
}

/** Ends the embedded stores of a home; returns which ones ran. */
export async function stopStores({ home }: { home: string }): Promise<Store[]> {
  const files = layout(home)
  const [postgres, redis] = await Promise.all([stopPostgres(files.postgres), stopRedis(files.redis)])
  const ended = { postgres, redis }
  return (['postgres', 'redis'] as const).filter((store) => ended[store])
}

function layout(home: string) {
  const below = (...parts: string[]) => join(resolve(home), ...parts)
  const files = (store: Store, folder: string) => ({
    dataDir: below(folder),
    logFile: below('logs', `${store}.log`),
    pidFile: below('run', `${store}.pid`),
  })
  return {
    postgres: { ...files('postgres', 'pg'), passwordFile: below('secrets', 'postgres') },
    redis: files('redis', 'redis'),
    secrets: { redis: below('secrets', 'redis') },
  }
}
