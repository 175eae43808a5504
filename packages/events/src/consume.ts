import type { FailPoint } from '@palanquin/service/fail-point'
import type { Log } from '@palanquin/service/log'
import type { Metrics } from '@palanquin/service/metrics'
import type { Redis } from '@palanquin/service/redis'
import type { Part } from '@palanquin/service/run'
import { type ConsumerGroup, consumerGroup, isReply } from './consumer-group.ts'
import { createDelivery, type EventHandlers, HANDLER_DEADLINE_MS } from './delivery.ts'
import { eventMetrics } from './metrics.ts'
import { createOutage, pause } from './outage.ts'
import type { Entry } from './stream.ts'

/** An entry that its consumer has not finished by then is another's; longer than any handler may take. */
const CLAIM_IDLE_MS = 30_000
/** How often, within that time, a consumer looks for such entries. */
const CLAIM_LOOKS = 3
const BEGINNING = '0-0'

export type ConsumeOptions = {
  /** For everything but the reads. */
  redis: Redis
  /** `connectRedis({ blocking: true })`, for this consumer alone: a blocking read stalls its whole connection. */
  blocking: Redis
  /** The app: each group gets every event once. */
  group: string
  /**
   * Names this process within the group, and names the same one after a restart, which then finishes first what it
   * had begun. Two that run at once must not share it.
   */
  consumer: string
  handlers: EventHandlers
  log: Log
  metrics?: Metrics
  claimIdleMs?: number
  handlerDeadlineMs?: number
  failPoint?: FailPoint
}

/**
 * Brings the events of the bus to a group's handlers, one after another, each at least once: a handler makes its
 * effect and the row in `processed_events` in one statement (`applyOnce`). Events arrive in the order of publication
 * but for those that are tried again, which come later: a failing event does not hold up the others.
 * The clients stay the caller's to close, after `stop`.
 */
export function consume(options: ConsumeOptions): Part {
  const { log, claimIdleMs = CLAIM_IDLE_MS } = options
  const stopping = new AbortController()
  const { signal } = stopping
  const group = consumerGroup(options)
  const metrics = options.metrics && eventMetrics(options.metrics)
  const deliver = createDelivery({
    group,
    groupName: options.group,
    handlers: options.handlers,
    log,
    metrics,
    handlerDeadlineMs: options.handlerDeadlineMs ?? HANDLER_DEADLINE_MS,
    failPoint: options.failPoint,
    stopping: signal,
  })
  const name = `consumer ${options.group}`
  const outage = createOutage(log, `the ${name}`)

  /** Runs until something throws or the process stops. */
  const session = async () => {
    await group.ensure()
    await deliverAll(ownEntries(group), deliver, signal)
    let lookAt = 0
    while (!signal.aborted) {
      if (performance.now() >= lookAt) {
        await deliverAll(abandonedEntries(group, claimIdleMs, log), deliver, signal)
        const lag = await group.lag()
        if (lag !== undefined) metrics?.lag.set({ group: options.group }, lag)
        lookAt = performance.now() + claimIdleMs / CLAIM_LOOKS
      }
      for (const entry of await group.readNew()) {
        if (signal.aborted) return
        await deliver(entry, { redelivered: false })
      }
      outage.recovered()
    }
  }

  const loop = async () => {
    while (!signal.aborted) {
      try {
        await session()
      } catch (error) {
        if (isReply(error, 'NOGROUP'))
          log.error(
            { group: options.group },
            'Redis has lost the consumer group (it came back empty); making it again',
          )
        await pause(outage.failed(error), signal)
      }
    }
  }

  let looping: Promise<void> | undefined
  return {
    name,
    start: () => {
      looping ??= loop()
    },
    /** Waits for the handler that runs, and for the read that waits (1 s at most). */
    stop: async () => {
      stopping.abort()
      await looping
    },
  }
}

/** What this consumer got and did not finish: before a restart, or before Redis vanished in between. */
async function* ownEntries(group: ConsumerGroup): AsyncGenerator<Entry> {
  let entry = await group.readOwn(BEGINNING)
  while (entry) {
    yield entry
    entry = await group.readOwn(entry.entryId)
  }
}

/** What anybody of the group got and has not finished for so long, one by one, so that each is fresh when it is handled. */
async function* abandonedEntries(group: ConsumerGroup, idleMs: number, log: Log): AsyncGenerator<Entry> {
  let cursor = BEGINNING
  do {
    const { next, entries, lost } = await group.claim(idleMs, cursor)
    if (lost.length > 0)
      log.error(
        { entries: lost },
        'events were trimmed away before they were done: they waited longer than the bus keeps them',
      )
    yield* entries
    cursor = next
  } while (cursor !== BEGINNING)
}

async function deliverAll(
  entries: AsyncGenerator<Entry>,
  deliver: (entry: Entry, options: { redelivered: boolean }) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  for await (const entry of entries) {
    if (signal.aborted) return
    await deliver(entry, { redelivered: true })
  }
}
