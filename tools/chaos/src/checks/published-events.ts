import { setTimeout as sleep } from 'node:timers/promises'
import { STREAM_KEY } from '@palanquin/events/stream'
import { redisFields } from './redis-fields.ts'

/** A consumer group like those of the services, so that the stream keeps what it has not read. */
const GROUP = 'audit'
const CONSUMER = 'audit'
const LOOK_MS = 200
const ENTRIES_MAX = 1_000

export type PublishedEvent = { id: string; type: string; data: string }
export type EventRecorder = {
  /** Every event published so far, each once: a killed relay publishes again what it did not mark as done. */
  events: () => Promise<PublishedEvent[]>
  close: () => Promise<void>
}

/** Records every event of a run, because the stream drops what all groups have read. */
export async function recordEvents(redisUrl: string, { maxRetries = 20 } = {}): Promise<EventRecorder> {
  let redis = new Bun.RedisClient(redisUrl, { maxRetries })
  await redis.send('XGROUP', ['CREATE', STREAM_KEY, GROUP, '0', 'MKSTREAM'])
  /** A client that could not reach Redis in so many tries gives up for good. */
  const reconnect = () => {
    redis.close()
    redis = new Bun.RedisClient(redisUrl, { maxRetries })
  }
  const recorded = new Map<string, PublishedEvent>()
  /** Read but unacknowledged entries come again with `0`. */
  const read = async (from: '0' | '>'): Promise<number> => {
    const reply: unknown = await redis.send('XREADGROUP', [
      ...['GROUP', GROUP, CONSUMER, 'COUNT', String(ENTRIES_MAX), 'STREAMS', STREAM_KEY, from],
    ])
    const entries: unknown = redisFields(reply).get(STREAM_KEY) ?? []
    if (!Array.isArray(entries) || entries.length === 0) return 0
    const ids = entries.map((entry: unknown): string => {
      const [entryId, fields]: unknown[] = Array.isArray(entry) ? entry : []
      const facts = redisFields(fields)
      const event = {
        id: String(facts.get('id')),
        type: String(facts.get('type')),
        data: String(facts.get('data')),
      }
      recorded.set(event.id, event)
      return String(entryId)
    })
    await redis.send('XACK', [STREAM_KEY, GROUP, ...ids])
    return ids.length
  }
  let latest: Promise<unknown> = Promise.resolve()
  /** One at a time: an entry that another drain has read and not recorded yet would be missing here. */
  const drain = (): Promise<void> => {
    const mine = latest.then(async () => {
      for (const from of ['0', '>'] as const) while ((await read(from)) > 0);
    })
    latest = mine.catch(() => {}) // reported to its caller
    return mine
  }
  const over = new AbortController()
  const reading = (async () => {
    while (!over.signal.aborted) {
      await drain().catch(reconnect) // Redis is killed and suspended in such a run; the next read tries again
      await sleep(LOOK_MS)
    }
  })()
  return {
    events: async () => {
      await drain().catch(() => {
        reconnect()
        return drain()
      })
      return [...recorded.values()]
    },
    close: async () => {
      over.abort()
      await reading
      redis.close()
    },
  }
}
