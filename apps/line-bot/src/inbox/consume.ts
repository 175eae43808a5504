import { deadLetterMetric } from '@palanquin/events/metrics'
import { connected, createOutage, pause } from '@palanquin/events/outage'
import type { Log } from '@palanquin/service/log'
import type { Metrics } from '@palanquin/service/metrics'
import type { Redis } from '@palanquin/service/redis'
import type { Part } from '@palanquin/service/run'
import { createDispatcher, type Handle } from './dispatcher.ts'
import { BEGINNING, GROUP, type InboxGroup } from './group.ts'
import type { Inbound } from './inbound.ts'

/** How often a process looks for what another left behind. */
const LOOK_EVERY_MS = 15_000
/** Long enough for LINE to answer what is under way; a stopping process has 9 s in all. */
const STOP_MS_MAX = 6_000

/**
 * Brings the events of the inbox to the conversation: those of one person one after another, those of different people
 * side by side, each at least once. The clients stay the caller's to close, after `stop`.
 */
export function consumeInbox({
  redis,
  blocking,
  group,
  handle,
  onSettled,
  log,
  metrics,
}: {
  redis: Redis
  blocking: Redis
  group: InboxGroup
  handle: Handle
  /** An event was handled, or given up. */
  onSettled?: (event: Inbound) => void
  log: Log
  metrics?: Metrics
}): Part {
  const stopping = new AbortController()
  const { signal } = stopping
  const outage = createOutage(log, 'the inbox')
  const dead = metrics && deadLetterMetric(metrics, { stream: 'inbox', group: GROUP })
  const hands = createDispatcher({
    group,
    handle,
    onDead: () => dead?.inc(),
    ...(onSettled ? { onSettled } : {}),
    log,
    signal,
  })

  const unfinished = async (whose: 'own' | 'abandoned') => {
    for (let after: string | undefined = BEGINNING; after && !signal.aborted; ) {
      const { entries, last } = await group.readUnfinished(whose, after, hands.holds)
      for (const entry of entries) hands.take(entry)
      after = last
    }
  }
  const session = async () => {
    await group.ensure()
    await unfinished('own')
    let lookAtMs = 0
    while (!signal.aborted) {
      if (performance.now() >= lookAtMs) {
        await unfinished('abandoned')
        lookAtMs = performance.now() + LOOK_EVERY_MS
      }
      const free = await hands.free()
      if (signal.aborted) return
      for (const entry of await group.readNew(free)) hands.take(entry)
      outage.recovered()
    }
  }
  const loop = async () => {
    await connected([redis, blocking], signal)
    while (!signal.aborted) {
      try {
        await session()
      } catch (error) {
        await pause(outage.failed(error), signal)
      }
    }
  }

  let looping: Promise<void> | undefined
  return {
    name: 'conversation',
    start: () => {
      looping ??= loop()
    },
    stop: async () => {
      stopping.abort()
      await looping
      await Promise.race([hands.idle(), Bun.sleep(STOP_MS_MAX)])
    },
  }
}
