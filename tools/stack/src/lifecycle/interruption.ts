import { constants } from 'node:os'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
const closers = new Set<() => Promise<void>>()

/**
 * Calls `close`, and all others that were given, when this process is interrupted (Ctrl-C), and then exits
 * with the code that a shell expects. Call the returned function once it is closed anyway.
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
  closers.clear() // a second Ctrl-C exits at once
  for (const one of SIGNALS) process.off(one, end)
  void Promise.allSettled(closing.map((close) => close())).then((outcomes) => {
    for (const outcome of outcomes) if (outcome.status === 'rejected') console.error(outcome.reason)
    process.exit(128 + constants.signals[signal])
  })
}
