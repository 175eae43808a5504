import { setTimeout as sleep } from 'node:timers/promises'
import { STREAM_KEY } from '@palanquin/events/stream'
import { redisFields } from './redis-fields.ts'

/** A group like those of the services: the bus keeps for it what it has not read. */
const GROUP = 'audit'
const CONSUMER = 'audit'
const LOOK_MS = 200
const ENTRIES_MAX = 1_000

export type PublishedEvent = { id: string; type: string; data: string }
export type EventRecorder = {
  /** Every event that was told so far, each once: a relay that was killed tells again what it did not take off its list. */
  events: () => Promise<PublishedEvent[]>
  close: () => Promise<void>
}

/** Hears everything that the bus tells during a run, because the bus itself lets go of what everybody has heard. */
export async function recordEvents(redisUrl: string, { maxRetries = 20 } = {}): Promise<EventRecorder> {
  let redis = new Bun.RedisClient(redisUrl, { maxRetries })
  await redis.send('XGROUP', ['CREATE', STREAM_KEY, GROUP, '0', 'MKSTREAM'])
  /** A client that has not reached Redis in so many tries gives up for good. */
  const reconnect = () => {
    redis.close()
    redis = new Bun.RedisClient(redisUrl, { maxRetries })
  }
  const recorded = new Map<string, PublishedEvent>()
  /** What was read and not acknowledged comes again with `0`: an answer may have been lost with its connection. */
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
  const drain = async () => {
    for (const from of ['0', '>'] as const) while ((await read(from)) > 0);
  }
  const over = new AbortController()
  const reading = (async () => {
    while (!over.signal.aborted) {
      await drain().catch(reconnect) // Redis is killed and suspended in such a run; it is asked again
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
