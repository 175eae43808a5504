import { type Redis, untilThere } from './redis.ts'
import type { Part } from './run.ts'

/** A connection takes milliseconds; a process that did not wait for it would report an outage that is none. */
const REDIS_HEAD_START_MS = 500

/**
 * The stores of a process, as its first part: waits half a second for Redis at the start, goes on without it, and lets
 * go of all of them after every other part has stopped. A client may be listed twice.
 */
export function storesPart({
  redis,
  close = () => {},
}: {
  redis: readonly Pick<Redis, 'isReady' | 'on' | 'destroy'>[]
  /** Closes the other stores. */
  close?: () => void | Promise<void>
}): Part {
  const clients = new Set(redis)
  return {
    name: 'stores',
    start: async () => {
      await Promise.all([...clients].map((client) => untilThere(client, REDIS_HEAD_START_MS)))
    },
    stop: async () => {
      for (const client of clients) client.destroy()
      await close()
    },
  }
}
