import type { FailPoint } from '@palanquin/service/fail-point'
import type { Log } from '@palanquin/service/log'
import type { Metrics } from '@palanquin/service/metrics'
import type { Redis } from '@palanquin/service/redis'
import type { Part } from '@palanquin/service/run'
import { type ConsumerGroup, consumerGroup } from './consumer-group.ts'
import { consumerLoop, type LoopControl } from './consumer-loop.ts'
import { createDelivery, type EventHandlers, HANDLER_DEADLINE_MS } from './delivery.ts'
import { consumerMetrics } from './metrics.ts'
import type { Entry } from './stream.ts'

const BEGINNING = '0-0'

/** What this consumer got and did not finish: before a restart, or before Redis vanished in between. */
async function* ownEntries(group: ConsumerGroup): AsyncGenerator<Entry> {
  let entry = await group.readOwn(BEGINNING)
  while (entry) {
    yield entry
    entry = await group.readOwn(entry.entryId)
  }
}

/** What no consumer of the group has finished for so long, one by one; `onLost` gets trimmed entries. */
async function* abandonedEntries(
  group: ConsumerGroup,
  { idleMs, onLost }: { idleMs: number; onLost: (entryIds: readonly string[]) => void },
): AsyncGenerator<Entry> {
  let cursor = BEGINNING
  do {
    const { next, entries, lost } = await group.claim(idleMs, cursor)
    if (lost.length > 0) onLost(lost)
    yield* entries
    cursor = next
  } while (cursor !== BEGINNING)
}

/** Longer than any handler may take: the entry is then another consumer's. */
const CLAIM_IDLE_MS = 30_000
/** How many times within that a consumer looks for such entries. */
const CLAIM_LOOKS = 3

export type ConsumeOptions = {
  /** For everything but the reads. */
  redis: Redis
  /** A client of this consumer alone: a blocking read stalls its whole connection. */
  blocking: Redis
  /** The app: each group gets every event once. */
  group: string
  /** Names this process within the group, also after a restart; two that run at once must not share it. */
  consumer: string
  handlers: EventHandlers
  log: Log
  metrics?: Metrics
  claimIdleMs?: number
  handlerDeadlineMs?: number
  failPoint?: FailPoint
}

/** Brings each event to a group's handlers at least once, in order but for those that are tried again. */
export function consume(options: ConsumeOptions): Part {
  const name = `consumer ${options.group}`
  return consumerLoop({
    name,
    part: `the ${name}`,
    clients: [options.redis, options.blocking],
    log: options.log,
    open: (control) => ({ session: sessionsOf(options, control) }),
  })
}

/** A session begins with what is unfinished and runs until Redis fails it or the process stops. */
function sessionsOf(options: ConsumeOptions, { signal, onProgress }: LoopControl): () => Promise<void> {
  const { log, claimIdleMs = CLAIM_IDLE_MS } = options
  const lookEveryMs = Math.ceil(claimIdleMs / CLAIM_LOOKS)
  const group = consumerGroup(options)
  const metrics = options.metrics && consumerMetrics(options.metrics, options.group)
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
  const onLost = (entries: readonly string[]) => {
    log.error(
      { event: 'consumer.events_lost', entries },
      'Events were trimmed before they were handled: they waited longer than the bus keeps them',
    )
    metrics?.consumed.inc({ group: options.group, type: 'unknown', outcome: 'lost' }, entries.length)
  }
  const redeliver = async (entries: AsyncGenerator<Entry>) => {
    for await (const entry of entries) {
      if (signal.aborted) return
      await deliver(entry, { redelivered: true })
    }
  }

  let sessions = 0
  return async () => {
    const made = await group.ensure()
    if (made && sessions > 0)
      log.error(
        { event: 'consumer.group_recreated', group: options.group },
        'Redis came back without its consumer groups; this one was created again',
      )
    sessions++
    await redeliver(ownEntries(group))
    let lookAt = 0
    while (!signal.aborted) {
      if (performance.now() >= lookAt) {
        await redeliver(abandonedEntries(group, { idleMs: claimIdleMs, onLost }))
        const lag = await group.lag()
        if (lag !== undefined) metrics?.lag.set({ group: options.group }, lag)
        lookAt = performance.now() + lookEveryMs
      }
      for (const entry of await group.readNew(lookEveryMs)) {
        if (signal.aborted) return
        await deliver(entry, { redelivered: false })
      }
      onProgress()
    }
  }
}
