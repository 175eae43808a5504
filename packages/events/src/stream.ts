import {
  type DomainEvent,
  EVENT_TYPES,
  type EventType,
  eventSchemaOf,
  isEventType,
} from '@palanquin/domain/events'
import Compile, { type Validator } from 'typebox/compile'

/** One hash tag, so that scripts may use all keys of the bus together on Redis Cluster. */
export const STREAM_KEY = '{ev}:events'
export const DEAD_KEY = '{ev}:dead'
/** A random text that is there as long as Redis was not emptied. */
export const EPOCH_KEY = '{ev}:epoch'
/** Up to where entries were let go of: a reader whose position is before it may have missed some. */
export const TRIMMED_KEY = '{ev}:trimmed'
export const leaseKey = (schema: string) => `{ev}:relay:${schema}`
/** Which rows of a schema's outbox were published, by `seq`, and when. */
export const publishedKey = (schema: string) => `{ev}:published:${schema}`
export const attemptsKey = (group: string) => `{ev}:attempts:${group}`

/** The groups of the bus, one an app. Nothing is let go of early before each of them has had it. */
export const BUS_GROUPS = ['engagement', 'media', 'line-bot'] as const
/** The longest outage that must lose nothing is 3 days; twice that, and one. Never by number: of bursts. */
export const RETENTION_MS = 7 * 86_400_000
/** For followers: one that was away for longer reads its view again. */
export const DONE_RETENTION_MS = 2 * 60_000
/** Redis (`appendfsync everysec`) has it on its disk at the latest 3 s after its answer. */
export const SETTLED_AFTER_MS = 5_000
/** No Redis command of the bus but the blocking reads takes longer when all is well. */
export const REDIS_DEADLINE_MS = 2_000
/** How long a blocking read waits: nothing interrupts it, so it bounds how long a stop takes. */
export const BLOCK_MS = 1_000
/** A blocking read that did not come back after this is a stalled link. */
export const BLOCK_DEADLINE_MS = BLOCK_MS + REDIS_DEADLINE_MS

/** One entry of a stream; `fields` is null when it was trimmed away. */
export type Entry = { entryId: string; fields: Readonly<Record<string, string>> | null }

/** An event, or why it is none. `only` names the one group that it is meant for (requeued). */
export type EntryContent =
  | { event: DomainEvent; only: string | undefined }
  | { ignored: 'unknown-type'; only: string | undefined }
  | { invalid: string; only: string | undefined }

const validators = new Map<EventType, Validator>(
  EVENT_TYPES.map((type) => [type, Compile(eventSchemaOf(type))]),
)

/** Whether a value is an event as the domain defines its type: envelope and data. */
export function isEvent(value: unknown): value is DomainEvent {
  const type = typeof value === 'object' && value !== null && 'type' in value ? value.type : undefined
  return isEventType(type) && (validators.get(type)?.Check(value) ?? false)
}

/** The first thing that is wrong with it; never the value itself, which may be personal. */
export function problemOf(value: unknown): string {
  const type = typeof value === 'object' && value !== null && 'type' in value ? value.type : undefined
  if (!isEventType(type)) return 'no known type'
  const [first] = validators.get(type)?.Errors(value) ?? []
  return first ? `${first.instancePath || 'the event'} ${first.message}` : 'nothing'
}

/** The fields of an event's entry, flat, in the order that the scripts expect. */
export const fieldsOf = (event: { id: string; type: string; at: string; data: unknown }): string[] => [
  event.id,
  event.type,
  event.at,
  typeof event.data === 'string' ? event.data : JSON.stringify(event.data),
]

/** Reads an entry of the stream. An unknown type is a newer service's: not for us, and no error. */
export function contentOf(fields: Readonly<Record<string, string>>): EntryContent {
  const only = fields.only
  if (!isEventType(fields.type)) return { ignored: 'unknown-type', only }
  let data: unknown
  try {
    data = JSON.parse(fields.data ?? '')
  } catch {
    return { invalid: 'data is not JSON', only }
  }
  const event = { id: fields.id, type: fields.type, at: fields.at, data }
  return isEvent(event) ? { event, only } : { invalid: problemOf(event), only }
}

/** The entries in a reply of XREAD, XREADGROUP, XRANGE or XAUTOCLAIM. */
export function entriesOf(messages: unknown): Entry[] {
  if (!Array.isArray(messages)) return []
  return messages.flatMap((message: unknown) => {
    if (typeof message !== 'object' || message === null || !('id' in message)) return []
    const fields = 'message' in message ? stringsOf(message.message) : null
    return [{ entryId: String(message.id), fields }]
  })
}

function stringsOf(message: unknown): Record<string, string> | null {
  if (typeof message !== 'object' || message === null) return null
  const fields = Object.entries(message).map(([name, value]): [string, string] => [name, String(value)])
  return fields.length === 0 ? null : Object.fromEntries(fields)
}
