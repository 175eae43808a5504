import { createHttpApp } from '@palanquin/service/http/app'
import type { Log } from '@palanquin/service/log'
import type { Metrics } from '@palanquin/service/metrics'
import type { LineBotConfig } from './config.ts'
import { erasureRoutes } from './erasure/route.ts'

export const NOT_CONFIGURED =
  'LINE is not configured (LINE_CHANNEL_SECRET and LINE_CHANNEL_ACCESS_TOKEN): the bot verifies nothing and sends nothing'
const CONFIGURED = 'LINE is configured'

export type Dependencies = { line: LineBotConfig['line']; internalToken: string; log: Log; metrics: Metrics }

/** The LINE bot without its sockets. It has no public route yet: the gateway answers 501 for them. */
export function createLineBot({ line, ...shell }: Dependencies) {
  const note = line ? CONFIGURED : NOT_CONFIGURED
  return createHttpApp({
    ...shell,
    service: 'line-bot',
    // An activity without LINE is a whole one: this is well, and says what it is.
    readiness: async () => ({ line: { ok: true, note } }),
  }).use(erasureRoutes())
}
