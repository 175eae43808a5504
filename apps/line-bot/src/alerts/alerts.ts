import type { Database } from '@palanquin/db/client'
import { withDeadline } from '@palanquin/service/deadline'
import { eventNameOf } from '@palanquin/service/event-settings'
import type { Log } from '@palanquin/service/log'
import { counter, type Metrics } from '@palanquin/service/metrics'
import type { Redis } from '@palanquin/service/redis'
import type { Job } from '@palanquin/service/schedule'
import type { LineBotConfig } from '../config.ts'
import type { LineClient } from '../line-client/client.ts'
import { healthReader } from './health.ts'
import { alertLedger } from './ledger.ts'
import { alertNotifier } from './notify.ts'
import { ownerBook } from './owners.ts'
import { createWatch } from './watch.ts'

const REDIS_DEADLINE_MS = 500
/** An alert reaches every owner of ten seconds before the incident (contract 8.21). */
export const OWNERS_EVERY_MS = 5_000

export type AlertSettings = Pick<
  LineBotConfig,
  | 'INTERNAL_TOKEN'
  | 'TRACKING_URL'
  | 'ENGAGEMENT_URL'
  | 'MEDIA_URL'
  | 'ALERT_WEBHOOK_URL'
  | 'EVENT_NAME_ZH'
  | 'EVENT_NAME_EN'
  | 'EVENT_TIMEZONE'
>

export type AlertsOptions = {
  settings: AlertSettings
  db: Database
  redis: Redis
  client: LineClient | null
  log: Log
  metrics: Metrics
  now?: () => number
  confirmMs?: number
  /** In place of the deadlines of each call of a store and of another service. */
  deadlineMs?: number | undefined
}

/** Alerts to the owners: the parts of the module put together. */
export function createAlerts({
  settings,
  db,
  redis,
  client,
  log,
  metrics,
  now = Date.now,
  confirmMs,
  deadlineMs,
}: AlertsOptions) {
  const owners = ownerBook({ db, redis, log, deadlineMs })
  const alerts = counter(metrics, {
    name: 'palanquin_line_alerts_total',
    help: 'alerts that were to reach the owners, by kind',
    labels: { kind: ['trouble', 'well'] },
  })
  const watch = createWatch({
    health: healthReader({
      addresses: {
        tracking: settings.TRACKING_URL,
        engagement: settings.ENGAGEMENT_URL,
        media: settings.MEDIA_URL,
      },
      internalToken: settings.INTERNAL_TOKEN,
      pingRedis: () =>
        withDeadline(redis.ping(), { what: 'Redis', deadlineMs: deadlineMs ?? REDIS_DEADLINE_MS }).then(
          () => true,
          () => false,
        ),
      now,
      deadlineMs,
    }),
    ledger: alertLedger({ db, redis, log, deadlineMs }),
    notify: alertNotifier({
      client,
      owners,
      webhookUrl: settings.ALERT_WEBHOOK_URL,
      name: eventNameOf(settings),
      timeZone: settings.EVENT_TIMEZONE,
      log,
    }),
    now,
    log,
    onPublished: ({ owed }) => owed && alerts.inc({ kind: owed.alert.kind }),
    ...(confirmMs === undefined ? {} : { confirmMs }),
  })
  return {
    /** The owners are read while the database is up. */
    jobs: [{ name: 'owners', everyMs: OWNERS_EVERY_MS, run: owners.read }] satisfies Job[],
    /** One health check, for the schedule. */
    look: async (): Promise<void> => {
      await owners.read()
      await watch()
    },
    erase: async (userId: string): Promise<Record<string, number>> => {
      await owners.forget(userId)
      return {}
    },
  }
}
