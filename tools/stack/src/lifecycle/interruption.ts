import { constants } from 'node:os'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
const closers = new Set<() => Promise<void>>()

/**
 * What this process brought up is to be taken down as well when somebody ends it (Ctrl-C). Calls `close` then, and all
 * others that were given, before it ends by the code that a shell expects. Call what comes back once it is closed anyway.
 */
export function closeOnInterrupt(close: () => Promise<void>): () => void {
  if (closers.size === 0) for (const signal of SIGNALS) process.on(signal, end)
  closers.add(close)
  return () => {
    closers.delete(close)
    if (closers.size === 0) for (const signal of SIGNALS) process.off(signal, end)
  }
}

function end(signal: (typeof SIGNALS)[number]): void {
  const closing = [...closers]
  closers.clear() // a second Ctrl-C is for somebody who does not want to wait
  for (const one of SIGNALS) process.off(one, end)
  void Promise.allSettled(closing.map((close) => close())).then((outcomes) => {
    for (const outcome of outcomes) if (outcome.status === 'rejected') console.error(outcome.reason)
    process.exit(128 + constants.signals[signal])
  })
}
