import type { Database } from '@palanquin/db/client'
import type { EventHandlers } from '@palanquin/events/delivery'
import { appendOnce } from '@palanquin/events/ordered/append'
import type { FailPoint } from '@palanquin/service/fail-point'
import { createHttpApp, ok } from '@palanquin/service/http/app'
import type { Job } from '@palanquin/service/jobs'
import type { Log } from '@palanquin/service/log'
import type { Metrics } from '@palanquin/service/metrics'
import { storeProbe } from '@palanquin/service/probe'
import type { Redis } from '@palanquin/service/redis'
import type { Part } from '@palanquin/service/run'
import { createAlerts } from './alerts/alerts.ts'
import type { LineBotConfig } from './config.ts'
import { conversationPart } from './conversation/conversation.ts'
import { eraseHelpLimit } from './conversation/help-limit.ts'
import type { TimedJob } from './cron.ts'
import { erasureRoutes } from './erasure/route.ts'
import { inboxCopies } from './inbox/copies.ts'
import { eraseFromInbox } from './inbox/erase.ts'
import { INBOX } from './inbox/queue.ts'
import { createLineClient } from './line-client/client.ts'
import { createPushModule } from './push/push.ts'
import { createRichMenu } from './rich-menu/rich-menu.ts'
import { engagementOf } from './service-clients/engagement.ts'
import { mediaOf } from './service-clients/media.ts'
import { serviceClientAt } from './service-clients/service-client.ts'
import { userStore } from './users/store.ts'
import { RAW_BODIES, webhookRoutes } from './webhook/route.ts'

/** How soon the copy of an event that was handled is gone. */
const SWEEP_EVERY_MS = 1_000
/** How soon an event that Redis has lost is taken in again. */
const RESTORE_EVERY_MS = 5_000

export const NOT_CONFIGURED =
  'LINE is not configured (LINE_CHANNEL_SECRET and LINE_CHANNEL_ACCESS_TOKEN): the bot verifies nothing and sends nothing'
const CONFIGURED = 'LINE is configured'

export type Dependencies = {
  config: LineBotConfig
  db: Database
  redis: Redis
  /** For the reads of the inbox alone: a blocking read stalls its whole connection. */
  inbox: Redis
  /** Names this process, and the same one after a restart. */
  consumer: string
  /** The outbox relay's `kick`. */
  tell: () => Promise<void>
  log: Log
  metrics: Metrics
  failPoint: FailPoint
}

/** The LINE bot without its sockets: rooms that share stores and, where LINE is configured, a client of it. */
export function createLineBot({ config, db, redis, ...rest }: Dependencies) {
  const { line, INTERNAL_TOKEN: internalToken } = config
  const { log, metrics } = rest
  const client = line && createLineClient(line)
  const people = userStore(db)
  const engagement = engagementOf(
    serviceClientAt({ name: 'engagement', url: config.ENGAGEMENT_URL, internalToken }),
  )
  const push = createPushModule({
    ...{ settings: config, db, client, log, metrics },
    profile: engagement.profile,
    tell: rest.tell,
  })
  const alerts = createAlerts({ settings: config, db, redis, client, log, metrics })
  const media = mediaOf(serviceClientAt({ name: 'media', url: config.MEDIA_URL, internalToken }))
  const menu = createRichMenu({ client, media, db, redis, tell: rest.tell, log })
  const copies = inboxCopies({ db, redis, log })
  const conversation =
    client &&
    conversationPart({
      ...{ settings: config, client, people, engagement, media, redis, inbox: rest.inbox },
      ...{ consumer: rest.consumer, copies, showMenu: menu.show, log, metrics },
    })
  const parts: Part[] = [...push.parts, ...(conversation ? [conversation] : [])]
  const jobs: Job[] = [
    ...alerts.jobs,
    { name: 'handled events', everyMs: SWEEP_EVERY_MS, run: copies.sweep },
    { name: 'lost events', everyMs: RESTORE_EVERY_MS, run: copies.restore },
  ]
  const handlers: EventHandlers = { ...push.handlers }
  const timedJobs: TimedJob[] = [
    { name: 'scheduled pushes', pattern: config.PUSH_SCHEDULE, run: push.release },
    { name: 'look at the health', pattern: config.HEALTH_SCHEDULE, run: alerts.look },
  ]
  const database = storeProbe('PostgreSQL', () => db.query('SELECT 1 AS there FROM line.users LIMIT 1'))
  const kv = storeProbe('Redis', () => redis.ping())
  const readiness = async () => {
    // An activity without LINE is a whole one: this is well, and says what it is.
    if (!line) return { line: { ok: true, note: NOT_CONFIGURED } }
    const [postgres, inbox] = await Promise.all([database(), kv()])
    return { line: { ok: true, note: CONFIGURED }, postgres, redis: inbox }
  }
  const app = createHttpApp({
    ...{ service: 'line-bot', internalToken, log, metrics, readiness },
    rawBodies: RAW_BODIES,
  })
    .use(
      webhookRoutes({
        channelSecret: line?.channelSecret ?? null,
        append: async (events) => {
          const taken = await appendOnce(redis, INBOX, events)
          await copies.keep(taken)
          return taken.length
        },
        now: Date.now,
      }),
    )
    .use(
      erasureRoutes([
        async (userId) => ({ lineUsers: await people.erase(userId) }),
        async (userId) => {
          const lineEvents = await eraseFromInbox(redis, userId)
          await copies.erase(userId)
          await eraseHelpLimit(redis, userId)
          return { lineEvents }
        },
        push.erase,
        alerts.erase,
      ]),
    )
    .get('/internal/features', () => ok({ line: client !== null }), { detail: { hide: true } })
    .use(push.routes)
    .use(menu.routes)
  return { app, client, people, parts, jobs, timedJobs, handlers }
}

export type LineBot = ReturnType<typeof createLineBot>
