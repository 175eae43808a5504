import type { Log } from '@palanquin/service/log'
import { memoize } from '@palanquin/service/memoize'
import type { ServiceClient } from '@palanquin/service/service-client'
import Type from 'typebox'

/** The line-bot answers from memory. */
const DEADLINE_MS = 500
/** The configuration of a process changes only with its restart. */
const KNOWN_TTL_MS = 60_000
const UNKNOWN_TTL_MS = 2_000

/** Whether there is a LINE bot. */
export type HasLine = () => Promise<boolean>

const Features = Type.Object({ line: Type.Boolean() })

/** Reads it from the line-bot; the last known value while that is away, and false before the first. */
export function hasLineAt({ lineBot, log }: { lineBot: ServiceClient; log: Log }): HasLine {
  let known: boolean | null = null
  const read = async (): Promise<boolean> => {
    try {
      const reply = await lineBot.call({
        path: '/internal/features',
        deadlineMs: DEADLINE_MS,
        reply: Features,
      })
      if (reply.ok) known = reply.data.line
      return reply.ok
    } catch (error) {
      log.debug({ event: 'features.unavailable', reason: String(error) }, 'Line-bot features are unknown')
      return false
    }
  }
  const refresh = memoize(read, { ttlMs: (isKnown) => (isKnown ? KNOWN_TTL_MS : UNKNOWN_TTL_MS) })
  return async () => {
    const refreshed = refresh()
    if (known === null) await refreshed
    return known ?? false
  }
}
