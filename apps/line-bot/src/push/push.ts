import type { Database } from '@palanquin/db/client'
import type { Profile } from '@palanquin/domain/participant'
import type { EventHandlers } from '@palanquin/events/delivery'
import type { ErasureTokenOf } from '@palanquin/service/erasure-token'
import { eventNameOf } from '@palanquin/service/event-settings'
import { userHasher } from '@palanquin/service/hash-user'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import type { Log } from '@palanquin/service/log'
import type { Metrics } from '@palanquin/service/metrics'
import { retry } from '@palanquin/service/retry'
import type { Part } from '@palanquin/service/run'
import type { LineBotConfig } from '../config.ts'
import type { LineClient } from '../line-client/client.ts'
import type { CardAddress } from '../service-clients/card-address.ts'
import { chunkStore } from './chunks.ts'
import { messageComposer } from './compose.ts'
import { announcements } from './consume.ts'
import { createDelivery } from './deliver.ts'
import { eraseFromPushes } from './erase.ts'
import { pushMetrics } from './metrics.ts'
import { quotaReader } from './quota.ts'
import { pushRoutes } from './route.ts'
import { createSender } from './sender.ts'
import { type NewPush, pushStore } from './store.ts'

/** Scheduled once an hour: a database that is away is waited for, ten minutes at most. */
const RELEASE_RETRY = {
  minMs: 5_000,
  maxMs: 5_000,
  attemptsMax: 120,
  jitter: 0,
  isRetryable: (error: unknown) => error instanceof StoreUnavailable,
}

export type PushSettings = Pick<
  LineBotConfig,
  | 'EVENT_NAME_ZH'
  | 'EVENT_NAME_EN'
  | 'EVENT_TIMEZONE'
  | 'INTERNAL_TOKEN'
  | 'LINE_QUOTA_RESERVE'
  | 'LINE_CONGRATULATIONS'
>

export type PushModuleOptions = {
  settings: PushSettings
  db: Database
  /** Null where LINE is not configured: then nothing is sent, and nothing pretends to be. */
  client: LineClient | null
  /** Engagement's figures of a participant. */
  profile: (userId: string, requestId: string) => Promise<Profile | null>
  cardAddress: CardAddress
  tokenOf: ErasureTokenOf
  /** The outbox relay's `publishSoon`. */
  publishOutbox: () => Promise<void>
  log: Log
  metrics: Metrics
  now?: () => number
}

/** Messages to many: the parts of the module put together. */
export function createPushModule({
  settings,
  db,
  client,
  profile,
  cardAddress,
  tokenOf,
  publishOutbox,
  log,
  metrics,
  now = Date.now,
}: PushModuleOptions) {
  const store = pushStore(db, tokenOf)
  const erase = async (userId: string) => ({ linePushes: await eraseFromPushes(db, userId, tokenOf) })
  const parts: Part[] = []
  const handlers: EventHandlers = {}
  if (!client) {
    const made = () => {}
    const release = async () => 0
    const send = async () => {}
    return {
      routes: pushRoutes({ db, store, line: null, made, now }),
      handlers,
      parts,
      release,
      send,
      erase,
    }
  }
  const name = eventNameOf(settings)
  const quota = quotaReader({ client, reservePercent: settings.LINE_QUOTA_RESERVE, now })
  const chunks = chunkStore(db)
  const deliver = createDelivery({
    client,
    chunks,
    quota,
    compose: messageComposer({ profile, cardAddress, name, hashUser: userHasher(settings.INTERNAL_TOKEN) }),
    metrics: pushMetrics(metrics),
    log,
  })
  const sender = createSender({ store, chunks, deliver, log })
  const made = () => {
    sender.kick()
    void publishOutbox()
  }
  return {
    routes: pushRoutes({ db, store, line: { quota, client }, made, now }),
    handlers: announcements({
      db,
      store,
      made: sender.kick,
      name,
      timeZone: settings.EVENT_TIMEZONE,
      congratulates: settings.LINE_CONGRATULATIONS === 'on',
    }),
    parts: [sender],
    /** Makes a push, once for its cause. @throws StoreUnavailable */
    send: async (push: NewPush): Promise<void> => {
      await store.create(push)
      sender.kick()
    },
    /** Releases the scheduled pushes whose time has come; how many. @throws StoreUnavailable */
    release: async (): Promise<number> => {
      const released = await retry(store.releaseDue, RELEASE_RETRY)
      if (released > 0) sender.kick()
      return released
    },
    erase,
  }
}
