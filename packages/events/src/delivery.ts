import type { DomainEvent, EventType } from '@palanquin/domain/events'
import { withDeadline } from '@palanquin/service/deadline'
import type { FailPoint } from '@palanquin/service/fail-point'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import type { Log } from '@palanquin/service/log'
import type { ConsumerGroup } from './consumer-group.ts'
import type { ConsumerMetrics, Outcome } from './metrics.ts'
import { createOutage, pause } from './outage.ts'
import { contentOf, type Entry } from './stream.ts'

/** faults.md: after five tries to the dead letters. */
export const ATTEMPTS_MAX = 5
/** Consumers that may die at an event: more than failed tries, as processes end at any moment. */
const DEATHS_MAX = 20
/** A handler that does not come back holds up everything behind it, and stopping takes 9 s at most. */
export const HANDLER_DEADLINE_MS = 6_000
/** An error's text may quote anything; this much of it says what went wrong. */
const ERROR_CHARACTERS_MAX = 500

/** Handlers by type. StoreUnavailable waits for the store; any other error is a failed try. */
export type EventHandlers = { [T in EventType]?: (event: DomainEvent<T>) => Promise<void> | void }

export type DeliveryOptions = {
  group: ConsumerGroup
  groupName: string
  handlers: EventHandlers
  log: Log
  metrics: ConsumerMetrics | undefined
  handlerDeadlineMs: number
  failPoint: FailPoint | undefined
  stopping: AbortSignal
}

/** Brings one entry to its handler and tells Redis the outcome. Throws only when Redis is away. */
export function createDelivery(options: DeliveryOptions) {
  const { group, groupName, log, metrics, stopping } = options
  const outage = createOutage(log, `the handlers of ${groupName}`)
  const count = (type: string, outcome: Outcome) => metrics?.consumed.inc({ group: groupName, type, outcome })

  return async (entry: Entry, { redelivered }: { redelivered: boolean }): Promise<void> => {
    const { entryId, fields } = entry
    if (fields === null) {
      log.error(
        { event: 'consumer.events_lost', entries: [entryId] },
        'An event was trimmed before it was handled: it waited longer than the bus keeps it',
      )
      count('unknown', 'lost')
      return group.ack(entryId)
    }
    const content = contentOf(fields)
    const run = work(content, groupName, options.handlers)
    if (run === 'ignored') {
      count('ignored' in content ? 'unknown' : (fields.type ?? ''), 'ignored')
      return group.ack(entryId)
    }
    const about = { eventId: fields.id, type: fields.type, entry: entryId }
    const deadLetter = async (error: string, attempts: number) => {
      await group.deadLetter(entry, { error: error.slice(0, ERROR_CHARACTERS_MAX), attempts })
      log.error(
        { event: 'consumer.event_dead_lettered', ...about, attempts, reason: error },
        'An event was dead-lettered',
      )
      count(fields.type ?? '', 'dead')
      metrics?.dead.inc()
    }

    let isBegunAgain = redelivered
    const deaths = isBegunAgain ? await group.begin(entryId) : 0
    if (deaths > DEATHS_MAX) return deadLetter('the consumer died each time it tried', deaths - 1)
    for (;;) {
      try {
        await withDeadline(run(), {
          what: `the handler of ${fields.type}`,
          deadlineMs: options.handlerDeadlineMs,
        })
      } catch (error) {
        if (isStoreAway(error)) {
          if (isBegunAgain) await group.clearDeaths(entryId)
          isBegunAgain = false
          await pause(outage.failed(error), stopping)
          if (stopping.aborted) return
          continue
        }
        const attempts = await group.fail(entryId)
        const reason = error instanceof Error ? error.message : String(error)
        if (attempts >= ATTEMPTS_MAX) return deadLetter(reason, attempts)
        log.warn(
          { event: 'consumer.event_failed', ...about, attempts, err: error },
          'An event could not be handled; it is retried later',
        )
        return void count(fields.type ?? '', 'failed')
      }
      outage.recovered()
      options.failPoint?.('consumer-handled')
      await group.ack(entryId)
      return void count(fields.type ?? '', 'done')
    }
  }
}

/** The handler's call for what is in an entry, or `ignored` when it is not for this group. */
function work(
  content: ReturnType<typeof contentOf>,
  groupName: string,
  handlers: EventHandlers,
): 'ignored' | (() => Promise<void>) {
  if (content.only !== undefined && content.only !== groupName) return 'ignored'
  if ('ignored' in content) return 'ignored'
  if ('invalid' in content)
    return async () => {
      throw new TypeError(`not a valid event: ${content.invalid}`)
    }
  const { event } = content
  const handle = handlerOf(handlers, event)
  return handle ? async () => handle() : 'ignored'
}

/** The handler for this very event. */
export function handlerOf<T extends EventType>(
  handlers: EventHandlers,
  event: DomainEvent<T>,
): (() => Promise<void> | void) | undefined {
  const handle: EventHandlers[T] = handlers[event.type]
  return handle && (() => handle(event))
}

function isStoreAway(error: unknown): boolean {
  if (error instanceof StoreUnavailable) return true
  return error instanceof Error && error.cause instanceof StoreUnavailable
}
