import './redis-tracing.ts'
import { createClient, type RedisClientType } from 'redis'
import type { Log } from './log.ts'
import { isCluster, readAddresses } from './redis-addresses.ts'
import { connectCluster } from './redis-cluster.ts'
import type { Redis } from './redis-commands.ts'
import { settingsOf } from './redis-settings.ts'
import { readAtOnce } from './redis-streams.ts'

export type { Redis } from './redis-commands.ts'

const PING_INTERVAL_MS = 5_000

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

function connectServer(client: RedisClientType, log: Log): Redis {
  let away = false
  client.on('error', (error: Error) => {
    if (!away) log.warn({ event: 'redis.lost', reason: error.message }, 'Redis is away; reconnecting')
    away = true
  })
  client.on('ready', () => {
    if (away) log.info({ event: 'redis.restored' }, 'Redis is back')
    away = false
  })
  client
    .connect()
    .catch((error: Error) =>
      log.warn(
        { event: 'redis.connect_failed', reason: error.message },
        'The first connection to Redis failed',
      ),
    )
  return Object.assign(client, {
    isCluster: false,
    send: (_key: string, command: string[]) => client.sendCommand(command),
    readStreams: readAtOnce(client),
    onePerNode: async (keys: readonly string[]) => keys.slice(0, 1),
    nodeOf: async () => '',
  })
}
