import type { Database } from '@palanquin/db/client'
import type { EventHandlers } from '@palanquin/events/delivery'
import { forgetProcessed } from '@palanquin/events/once'
import { appendOnce } from '@palanquin/events/ordered/append'
import { erasureTokens, receiptsUnder } from '@palanquin/service/erasure-token'
import { followSettings, withEventSettings } from '@palanquin/service/event-settings'
import { createHttpApp, ok } from '@palanquin/service/http/app'
import type { Log } from '@palanquin/service/log'
import type { Metrics } from '@palanquin/service/metrics'
import { storeProbe } from '@palanquin/service/probe'
import type { Redis } from '@palanquin/service/redis'
import type { Part } from '@palanquin/service/run'
import type { Job } from '@palanquin/service/schedule'
import { type ServiceClient, serviceClient } from '@palanquin/service/service-client'
import { createAlerts } from './alerts/alerts.ts'
import type { LineBotConfig } from './config.ts'
import { conversationPart } from './conversation/conversation.ts'
import { eraseHelpLimit } from './conversation/help-limit.ts'
import { linksOf } from './conversation/links.ts'
import { erasureRoutes } from './erasure/route.ts'
import { inboxCopies } from './inbox/copies.ts'
import { eraseFromInbox } from './inbox/erase.ts'
import { INBOX } from './inbox/queue.ts'
import { createLineClient } from './line-client/client.ts'
import { createLost } from './lost/lost.ts'
import { lostAlertStore } from './lost/store.ts'
import { createPushModule } from './push/push.ts'
import { createRichMenu } from './rich-menu/rich-menu.ts'
import { beaconsOf } from './service-clients/beacons.ts'
import { cardAddresses } from './service-clients/card-address.ts'
import { engagementOf } from './service-clients/engagement.ts'
import { mediaOf } from './service-clients/media.ts'
import { lostClients } from './service-clients/nearby.ts'
import { trackingOf } from './service-clients/tracking.ts'
import { userStore } from './users/store.ts'
import { RAW_BODIES, webhookRoutes } from './webhook/route.ts'

/** How soon the copy of a handled event is deleted. */
const SWEEP_EVERY_MS = 1_000
/** How soon an event that Redis lost is appended again. */
const RESTORE_EVERY_MS = 5_000
const FORGET_EVERY_MS = 24 * 3_600_000

const NOT_CONFIGURED =
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
  /** The outbox relay's `publishSoon`. */
  publishOutbox: () => Promise<void>
  log: Log
  metrics: Metrics
  /** In place of the deadlines of all calls, for tests. */
  deadlineMs?: number | undefined
}

/** The LINE bot without its sockets; without LINE it has no client. */
export function createLineBot({ config, db, redis, publishOutbox, log, metrics, ...rest }: Dependencies) {
  const { line, INTERNAL_TOKEN: internalToken } = config
  const { deadlineMs } = rest
  const client = line && createLineClient(line)
  const service = (name: string, to: string) =>
    withinDeadline(serviceClient({ name, to, internalToken }), deadlineMs)
  const engagementService = service('engagement', config.ENGAGEMENT_URL)
  const engagement = engagementOf(engagementService)
  const tracking = trackingOf(service('tracking', config.TRACKING_URL))
  const map = service('map', config.MAP_URL)
  const beacons = beaconsOf(map)
  const media = mediaOf(service('media', config.MEDIA_URL))
  const users = userStore(db, receiptsUnder(config.PSEUDONYM_SECRET))
  const owners = followSettings({ redis, log })
  const settings = withEventSettings(config, owners)
  const cardAddress = cardAddresses({ media, baseUrl: () => settings.PUBLIC_BASE_URL })
  const push = createPushModule({
    settings,
    db,
    client,
    log,
    metrics,
    profile: engagement.profile,
    cardAddress,
    publishOutbox,
    tokenOf: erasureTokens(config.PSEUDONYM_SECRET),
  })
  const lostAlerts = lostAlertStore(db)
  const lost = createLost({
    store: lostAlerts,
    clients: lostClients({ engagement: engagementService, map }),
    send: push.send,
    links: () => linksOf({ liffUrl: settings.LIFF_URL, baseUrl: settings.PUBLIC_BASE_URL }),
    hasLine: client !== null,
    log,
  })
  const alerts = createAlerts({ settings, db, redis, client, log, metrics, deadlineMs })
  const menu = createRichMenu({ client, media, db, redis, publishOutbox, log, deadlineMs })
  const copies = inboxCopies({ db, redis, log, keepDeadlineMs: deadlineMs })
  const conversation =
    client &&
    conversationPart({
      settings,
      client,
      users,
      engagement,
      tracking,
      beacons,
      media,
      redis,
      inbox: rest.inbox,
      cardAddress,
      consumer: rest.consumer,
      copies,
      showMenu: menu.show,
      log,
      metrics,
      deadlineMs,
    })
  const parts: Part[] = [owners, ...push.parts, ...(conversation ? [conversation] : [])]
  /** Every copy of the service runs them; each may run more often than needed. */
  const jobs: Job[] = [
    ...alerts.jobs,
    ...lost.jobs,
    { name: 'scheduled pushes', cron: config.PUSH_SCHEDULE, run: push.release },
    { name: 'health', cron: config.HEALTH_SCHEDULE, run: alerts.look },
    { name: 'handled events', everyMs: SWEEP_EVERY_MS, run: copies.sweep },
    { name: 'lost events', everyMs: RESTORE_EVERY_MS, run: copies.restore },
    { name: 'old event ids', everyMs: FORGET_EVERY_MS, run: () => forgetProcessed(db, 'line') },
    { name: 'unregistered users', everyMs: FORGET_EVERY_MS, run: users.forgetUnregistered },
  ]
  const handlers: EventHandlers = { ...push.handlers, ...lost.handlers }
  const probeDatabase = storeProbe('PostgreSQL', () => db.query('SELECT 1 AS there FROM line.users LIMIT 1'))
  const probeRedis = storeProbe('Redis', () => redis.ping())
  const readiness = async () => {
    // An activity without LINE is a valid one: ready, and the note says so.
    if (!line) return { line: { ok: true, note: NOT_CONFIGURED } }
    const [postgres, inbox] = await Promise.all([probeDatabase(), probeRedis()])
    return { line: { ok: true, note: CONFIGURED }, postgres, redis: inbox }
  }
  const app = createHttpApp({
    service: 'line-bot',
    internalToken,
    log,
    metrics,
    readiness,
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
        async (userId) => ({ lineUsers: await users.erase(userId) }),
        async (userId) => {
          const lineEvents = await eraseFromInbox(redis, userId)
          await copies.erase(userId)
          await eraseHelpLimit(redis, userId)
          return { lineEvents }
        },
        push.erase,
        async (userId) => ({ lostNotified: await lostAlerts.erase(userId) }),
        alerts.erase,
      ]),
    )
    .get('/internal/features', () => ok({ line: client !== null }), { detail: { hide: true } })
    .use(lost.routes)
    .use(push.routes)
    .use(menu.routes)
  return { app, client, users, parts, jobs, handlers, lost }
}

/** A service whose calls all have this deadline, where one is given. */
const withinDeadline = (client: ServiceClient, deadlineMs: number | undefined): ServiceClient =>
  deadlineMs === undefined
    ? client
    : {
        call: (call) => client.call({ ...call, deadlineMs }),
        callBytes: (call) => client.callBytes({ ...call, deadlineMs }),
        callStream: (call) => client.callStream({ ...call, deadlineMs }),
      }
