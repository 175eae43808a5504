import type { Database } from '@palanquin/db/client'
import type { LevelKm } from '@palanquin/domain/level'
import type { CredentialTags } from '@palanquin/service/credential-tags'
import type { ReceiptOf } from '@palanquin/service/erasure-token'
import type { Log } from '@palanquin/service/log'
import type { Metrics } from '@palanquin/service/metrics'
import type { Redis } from '@palanquin/service/redis'
import type { HasLine } from './activity/features.ts'
import type { FinalFlush } from './activity/final-flush.ts'
import type { EventFacts } from './activity/public.ts'
import type { ErasureDependencies } from './erasure/erase.ts'
import type { ReadPoints } from './export/points.ts'
import type { LinkServices } from './linking/link.ts'
import type { CountRecipients } from './lost/recipients.ts'
import type { RefreshViews } from './participants/refresh-views.ts'
import type { ReadLivePositions } from './reports/participants/live-positions.ts'
import type { ReadWithin } from './reports/participants/near.ts'
import type { UnregisteredOnMap } from './reports/participants/unregistered-on-map.ts'
import type { ReadPosition } from './shares/position.ts'

/** Stores, calls of other services, and the configured event. */
export type Dependencies = {
  db: Database
  /** Connections for the rows of profiles alone (`BY_KEY`). */
  profileDb: Database
  redis: Redis
  /** In place of the deadlines of each call of Redis. */
  redisDeadlineMs?: number | undefined
  /** Publishes the outbox now, within a bounded time. */
  publishOutbox: () => Promise<void>
  refreshViews: RefreshViews
  /** The kilometres that count for a level. */
  levelKm: LevelKm
  flush: FinalFlush
  eraseAt: ErasureDependencies['services']
  eraseDeadlineMs?: number
  /** What other services do when a device is joined to a LINE id. */
  linkAt: LinkServices
  unregisteredOnMap: UnregisteredOnMap
  readPoints: ReadPoints
  readPosition: ReadPosition
  readLivePositions: ReadLivePositions
  readWithin: ReadWithin
  internalToken: string
  receiptOf: ReceiptOf
  /** The event as configured; the rollups of tracking use the same time zone. */
  event: EventFacts
  hasLine: HasLine
  countRecipients: CountRecipients
  /** Signs the tokens and links that are issued here. */
  tags: CredentialTags
  /** USER_AUTH=line or session. */
  auth: boolean
  log: Log
  metrics: Metrics
  now: () => number
  propagationMs?: number
}
