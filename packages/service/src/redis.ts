import './redis-tracing.ts'
import { createClient } from 'redis'
import type { Log } from './log.ts'

/** Longest pause between two attempts to reach Redis again. */
const RECONNECT_MS_MAX = 1_000
const CONNECT_TIMEOUT_MS = 2_000
/** A sent command that gets no byte back for so long closes the socket; the strategy below opens a new one. */
const SOCKET_TIMEOUT_MS = 10_000
const PING_INTERVAL_MS = 5_000
/** Commands that wait in the client; past it they fail at once instead of piling up. */
const QUEUE_LENGTH_MAX = 50_000

/**
 * A node-redis client that fails fast: while Redis is away commands reject at once (no offline queue), and it
 * reconnects for ever with a bounded pause. Every command still wants its own deadline (`withDeadline`).
 * Does not wait for the first connection: a process starts without Redis and becomes ready when it is there.
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
}) {
  const client = createClient({
    url,
    name,
    disableOfflineQueue: true,
    commandsQueueMaxLength: QUEUE_LENGTH_MAX,
    ...(blocking ? {} : { pingInterval: PING_INTERVAL_MS }),
    socket: {
      connectTimeout: CONNECT_TIMEOUT_MS,
      socketTimeout: SOCKET_TIMEOUT_MS,
      reconnectStrategy: (retries: number) =>
        Math.min(50 * 2 ** Math.min(retries, 6), RECONNECT_MS_MAX) + Math.random() * 50,
    },
  })
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
  return client
}

export type Redis = ReturnType<typeof connectRedis>
