import { tracingChannel } from 'node:diagnostics_channel'
import { createClient, type RedisClientType } from 'redis'
import type { Log } from './log.ts'
import { isCluster, readAddresses } from './redis-addresses.ts'
import { connectCluster } from './redis-cluster.ts'
import type { Redis } from './redis-commands.ts'
import { settingsOf } from './redis-settings.ts'
import { readAtOnce } from './redis-streams.ts'

/** Bun's TracingChannel lacks this property, without which node-redis describes every command for no one. */
const prototype: object = Object.getPrototypeOf(tracingChannel('palanquin'))
if (!('hasSubscribers' in prototype))
  Object.defineProperty(prototype, 'hasSubscribers', {
    configurable: true,
    get(this: Record<string, { hasSubscribers: boolean } | undefined>) {
      return ['start', 'end', 'asyncStart', 'asyncEnd', 'error'].some((name) => this[name]?.hasSubscribers)
    },
  })

export type { Redis } from './redis-commands.ts'

const PING_INTERVAL_MS = 5_000

/** A client whose commands reject at once while Redis is away. Several addresses are a cluster. */
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
  // A cluster's reader wants the pings too: only the connections that it reads by are in use.
  const pinging = { ...settings, pingInterval: PING_INTERVAL_MS }
  if (isCluster(url)) return connectCluster({ addresses: readAddresses(url), settings: pinging, log })
  return connectServer(createClient({ url, ...(blocking ? settings : pinging) }), log)
}

/** Resolves when Redis is there for the first time, or after so long without it. */
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
