import type { Log } from '@palanquin/service/log'
import type { Metrics } from '@palanquin/service/metrics'
import type { Part } from '@palanquin/service/run'
import { consumerLoop, type LoopControl } from '../consumer-loop.ts'
import { deadLetterMetric } from '../metrics.ts'
import { createDispatcher, type Handle } from './dispatcher.ts'
import { BEGINNING, type OrderedGroupOptions, orderedGroup } from './group.ts'
import type { OrderedQueue } from './queue.ts'

/** How often a process looks for what another left behind. */
const LOOK_EVERY_MS = 15_000
/** Long enough for what is under way to end; a stopping process has 9 s in all. */
const STOP_MS_MAX = 6_000

export type ConsumeOrderedOptions<E> = OrderedGroupOptions & {
  queue: OrderedQueue<E>
  handle: Handle<E>
  /** An event was handled, or dead-lettered. */
  onSettled?: (event: E) => void
  log: Log
  metrics?: Metrics
}

/** Brings events to a handler at least once: those of one key in order, different keys side by side. */
export function consumeOrdered<E>(options: ConsumeOrderedOptions<E>): Part {
  const { queue, redis, blocking, log } = options
  return consumerLoop({
    name: `consumer of the ${queue.name}`,
    part: `the ${queue.name}`,
    clients: [redis, blocking],
    log,
    open: (control) => open(options, control),
  })
}

function open<E>(options: ConsumeOrderedOptions<E>, { signal, onProgress }: LoopControl) {
  const { queue, handle, onSettled = () => {}, log, metrics } = options
  const group = orderedGroup(queue, options)
  const dead = metrics && deadLetterMetric(metrics, { stream: queue.name, group: queue.group })
  const onDeadLetter = () => dead?.inc()
  const dispatcher = createDispatcher({ queue, group, handle, onDeadLetter, onSettled, log, signal })

  const takeUnfinished = async (whose: 'own' | 'abandoned') => {
    for (let after: string | undefined = BEGINNING; after && !signal.aborted; ) {
      const { entries, last } = await group.readUnfinished(whose, after, dispatcher.isUnderWay)
      for (const entry of entries) dispatcher.take(entry)
      after = last
    }
  }
  const session = async () => {
    await group.ensure()
    await takeUnfinished('own')
    let lookAtMs = 0
    while (!signal.aborted) {
      if (performance.now() >= lookAtMs) {
        await takeUnfinished('abandoned')
        lookAtMs = performance.now() + LOOK_EVERY_MS
      }
      const free = await dispatcher.free()
      if (signal.aborted) return
      for (const entry of await group.readNew(free)) dispatcher.take(entry)
      onProgress()
    }
  }
  const drain = async () => {
    await Promise.race([dispatcher.idle(), Bun.sleep(STOP_MS_MAX)])
  }
  return { session, drain }
}
