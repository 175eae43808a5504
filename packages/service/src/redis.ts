import './redis-tracing.ts'
import type { EventEmitter } from 'node:events'
import { createClient, type RedisClientType, type RedisClusterType } from 'redis'
import type { Log } from './log.ts'
import { isCluster, readAddresses } from './redis-addresses.ts'
import { connectCluster } from './redis-cluster.ts'
import { type ReadStreams, readAtOnce } from './redis-streams.ts'

/** Longest pause between two attempts to reach Redis again. */
const RECONNECT_MS_MAX = 1_000
const CONNECT_TIMEOUT_MS = 2_000
/** A sent command that gets no byte back for so long closes the socket; the strategy below opens a new one. */
const SOCKET_TIMEOUT_MS = 10_000
const PING_INTERVAL_MS = 5_000
/** Commands that wait in the client; past it they fail at once instead of piling up. */
const QUEUE_LENGTH_MAX = 50_000

/** What a server and a cluster say in different words, what makes or changes a client, and channels, which nobody uses. */
type Different =
  | keyof EventEmitter
  | `${string}${'ubscribe' | 'UBSCRIBE'}`
  | 'multi'
  | 'MULTI'
  | 'ping'
  | 'PING'
  | 'sendCommand'
  | 'isReady'
  | 'connect'
  | 'destroy'
  | 'duplicate'
  | 'quit'
  | 'withCommandOptions'
  | 'withTypeMapping'

/**
 * Commands as node-redis has them, for one server and for a cluster. All keys of a command, and all that its script
 * touches, carry the same hash tag: a cluster takes a command only for one slot.
 */
export type Commands = Pick<
  RedisClientType,
  Exclude<keyof RedisClientType & keyof RedisClusterType, Different>
>

/** A Redis, be it one server or a cluster. */
export type Redis = Commands & {
  /** Whether keys may be on several nodes: then a script has only keys of one hash tag. */
  readonly isCluster: boolean
  /** Whether all of it can be asked now. */
  readonly isReady: boolean
  on(event: 'ready', listener: () => void): unknown
  /** Every node answers, or it rejects. */
  ping(): Promise<unknown>
  /** Sends a command as it stands to where `key` is. */
  send(key: string, command: string[]): Promise<unknown>
  /** What streams hold behind the given ids, wherever they are; waits so long for the first entry to come. */
  readStreams: ReadStreams
  /** Of these keys as many as there are nodes that hold them, each on another. */
  onePerNode(keys: readonly string[]): Promise<string[]>
  /** A name for the server that holds a key now: another one may have less, if it was a replica. */
  nodeOf(key: string): Promise<string>
  /** Lets go at once; commands under way reject. */
  destroy(): void
}

/**
 * A node-redis client that fails fast: while Redis is away commands reject at once (no offline queue), and it
 * reconnects for ever with a bounded pause. Every command still wants its own deadline (`withDeadline`).
 * Does not wait for the first connection: a process starts without Redis and becomes ready when it is there.
 * Several addresses by comma are nodes of a Redis Cluster.
 */
export function connectRedis({
  url,
  name,
  log,
  blocking = false,
}: {
  url: string
  name: string
  log: Log
  blocking?: boolean
}): Redis {
  const settings = settingsOf(name)
  // Of a cluster also a reader that waits wants the pings: of its connections only those that it reads by are in use.
  const pinging = { ...settings, pingInterval: PING_INTERVAL_MS }
  if (isCluster(url)) return connectCluster({ addresses: readAddresses(url), settings: pinging, log })
  return connectServer(createClient({ url, ...(blocking ? settings : pinging) }), log)
}

/**
 * Resolves when Redis is there for the first time, or after so long without it: a process that starts while Redis is away
 * goes on without.
 */
export async function untilThere(redis: Pick<Redis, 'isReady' | 'on'>, withinMs: number): Promise<void> {
  if (redis.isReady) return
  const { promise, resolve } = Promise.withResolvers<void>()
  redis.on('ready', resolve)
  const timer = setTimeout(resolve, withinMs)
  await promise
  clearTimeout(timer)
}

const settingsOf = (name: string) => ({
  name,
  disableOfflineQueue: true,
  commandsQueueMaxLength: QUEUE_LENGTH_MAX,
  socket: {
    connectTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SOCKET_TIMEOUT_MS,
    reconnectStrategy: (retries: number) =>
      Math.min(50 * 2 ** Math.min(retries, 6), RECONNECT_MS_MAX) + Math.random() * 50,
  },
})

export type NodeSettings = ReturnType<typeof settingsOf> & { pingInterval: number }

function connectServer(client: RedisClientType, log: Log): Redis {
  let away = false
  client.on('error', (error: Error) => {
    if (!away) log.warn({ store: 'redis', reason: error.message }, 'Redis is away; trying again')
    away = true
  })
  client.on('ready', () => {
    if (away) log.info({ store: 'redis' }, 'Redis is back')
    away = false
  })
  client
    .connect()
    .catch((error: Error) =>
      log.warn({ store: 'redis', reason: error.message }, 'the first connection to Redis failed'),
    )
  return Object.assign(client, {
    isCluster: false,
    send: (_key: string, command: string[]) => client.sendCommand(command),
    readStreams: readAtOnce(client),
    onePerNode: async (keys: readonly string[]) => keys.slice(0, 1),
    nodeOf: async () => '',
  })
}
