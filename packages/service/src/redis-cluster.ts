import { createCluster } from 'redis'
import type { Log } from './log.ts'
import type { RedisAddresses } from './redis-addresses.ts'
import type { Redis } from './redis-commands.ts'
import type { NodeSettings } from './redis-settings.ts'
import { readOneByOne } from './redis-streams.ts'

/** A node that is away may have been replaced by its replica. */
const LOOK_FOR_NODES_MS = 1_000
/** A client that waits for so long for a node that it has never reached reconnects. */
const STUCK_MS_MAX = 5_000
const BEGIN_PAUSE_MS = 500
const LOOK_MS = 50

/** As `connectRedis`, by a connection to each master. It is ready while all masters are there. */
export function connectCluster({
  addresses,
  settings,
  log,
}: {
  addresses: RedisAddresses
  settings: NodeSettings
  log: Log
}): Redis {
  const cluster = openCluster(addresses, settings)
  const whole = keepWhole(cluster, log)
  const nodeOf = async (key: string) => {
    const holder = await cluster.getNodeClientForKey(key)
    return cluster.masters.find(({ client }) => client === holder)?.address ?? ''
  }
  const redis = Object.assign(cluster, {
    isCluster: true,
    ping: async () => Promise.all(mastersOf(cluster).map(({ client }) => client?.ping() ?? neverReached())),
    send: (key: string, command: string[]) => cluster.sendCommand(key, false, command),
    readStreams: readOneByOne(cluster),
    onePerNode: async (keys: readonly string[]) => {
      const known = await Promise.all(keys.map(async (key) => [await nodeOf(key), key] as const))
      return [...new Map(known).values()]
    },
    nodeOf,
    destroy: whole.end,
  })
  return Object.defineProperty(redis, 'isReady', { get: whole.isWhole })
}

type Cluster = ReturnType<typeof openCluster>

function openCluster({ nodes, username, password, tls }: RedisAddresses, settings: NodeSettings) {
  return createCluster({
    rootNodes: nodes.map((socket) => ({ socket })),
    defaults: {
      ...settings,
      ...(username === undefined ? {} : { username }),
      ...(password === undefined ? {} : { password }),
      socket: { ...settings.socket, ...(tls ? { tls } : {}) },
    },
    topologyRefreshOnReconnectionAttemptStrategy: LOOK_FOR_NODES_MS,
  })
}

/** Connects, and reconnects a client that waits without end for a master it has never reached (node-redis). */
function keepWhole(cluster: Cluster, log: Log) {
  const end = cluster.destroy.bind(cluster)
  let isFound = false
  let isEnded = false
  let isReported = false
  let beganAt = 0
  let wellAt = 0
  let watch: ReturnType<typeof setInterval> | undefined

  const isWhole = () => isFound && cluster.masters.every(({ client }) => client?.isReady === true)
  const isStuck = () => !isFound || cluster.masters.some(({ connectPromise }) => connectPromise !== undefined)
  const begin = () => {
    isFound = false
    beganAt = wellAt = performance.now()
    cluster.connect().catch(lost)
  }
  const look = () => {
    const now = performance.now()
    if (isWhole()) {
      clearInterval(watch)
      watch = undefined
      if (isReported) log.info({ event: 'redis.restored' }, 'Redis is back')
      isReported = false
      cluster.emit('ready')
    } else if (!isStuck()) wellAt = now
    else if (now - wellAt > STUCK_MS_MAX || (!cluster.isOpen && now - beganAt > BEGIN_PAUSE_MS)) {
      end()
      begin()
    }
  }
  const lost = (error: Error) => {
    if (isEnded) return
    if (!isReported) log.warn({ event: 'redis.lost', reason: error.message }, 'Redis is away; reconnecting')
    isReported = true
    watch ??= setInterval(look, LOOK_MS)
  }

  cluster.on('error', lost).on('node-error', lost)
  cluster.on('connect', () => {
    isFound = true
    look()
  })
  watch = setInterval(look, LOOK_MS)
  begin()
  return {
    isWhole,
    end: () => {
      isEnded = true
      clearInterval(watch)
      end()
    },
  }
}

function mastersOf({ masters }: Cluster): Cluster['masters'] {
  return masters.length > 0 ? masters : neverReached()
}

function neverReached(): never {
  throw new Error('a node of the Redis Cluster was not reached yet')
}
