import { withoutTrailingSlash } from '@palanquin/service/base-url'
import { requestAccounts } from '@palanquin/service/http/accounts'
import { createHttpApp } from '@palanquin/service/http/app'
import { storeProbe } from '@palanquin/service/probe'
import { achievements as achievementsOf } from './achievements/unlock.ts'
import type { ActivityDependencies } from './activity/change.ts'
import { activityProjection } from './activity/projection.ts'
import { publicActivityRoutes } from './activity/public-route.ts'
import { activityRoutes } from './activity/route.ts'
import { activityStore } from './activity/store.ts'
import { auditRoutes } from './audit/route.ts'
import { carbonRoutes } from './carbon/route.ts'
import type { Dependencies } from './dependencies.ts'
import { profileRoutes } from './devices/profiles/route.ts'
import { profileStore } from './devices/profiles/store.ts'
import { deviceRoutes } from './devices/route.ts'
import { setupLinkRoutes } from './devices/setup-links/route.ts'
import { setupLinkStore } from './devices/setup-links/store.ts'
import { deviceStore } from './devices/store.ts'
import { issuedView } from './devices/view.ts'
import { erasureRoutes } from './erasure/route.ts'
import { erasureStore } from './erasure/store.ts'
import { exportRoutes } from './export/route.ts'
import { exportedLists } from './export/rows.ts'
import { feedbackRoutes } from './feedback/route.ts'
import { feedbackStore } from './feedback/store.ts'
import { findRoutes } from './find/route.ts'
import { findStore } from './find/store.ts'
import { adminGuideRoutes, ROUTE_UPLOAD_BYTES_MAX, ROUTE_UPLOAD_PATH } from './guide/admin/route.ts'
import { publicGuideRoutes } from './guide/public-routes.ts'
import { guideStore } from './guide/store.ts'
import { healthRoutes } from './health/route.ts'
import type { LinkDependencies } from './linking/link.ts'
import { linkRoutes } from './linking/route.ts'
import { linkStore } from './linking/store.ts'
import { adminLostRoutes, lostNotificationRoute } from './lost/admin-routes.ts'
import { lostMetrics } from './lost/metrics.ts'
import { lostRoutes } from './lost/public-routes.ts'
import { lostStore } from './lost/store.ts'
import { batchedProfiles } from './participants/batch-route.ts'
import { bufferedCheckinsReader, bufferedFinder } from './participants/buffer-reader.ts'
import type { Participants } from './participants/change.ts'
import { snapshotReader } from './participants/read-snapshot.ts'
import { participantRoutes } from './participants/route.ts'
import { createStatisticsCache } from './participants/statistics-cache.ts'
import { participantStore } from './participants/store.ts'
import { reportRoutes } from './reports/routes.ts'
import { roleRoutes } from './roles/route.ts'
import { roleStore } from './roles/store.ts'
import { sessionRoutes } from './sessions/route.ts'
import { sessionStore } from './sessions/store.ts'
import { settingsRoutes } from './settings/route.ts'
import { ownersSettings } from './settings/settings.ts'
import { settingsStore } from './settings/store.ts'
import { shareReaders } from './shares/readers.ts'
import { shareRoutes } from './shares/route.ts'
import { shareStore } from './shares/store.ts'
import { surveyRoutes } from './survey/route.ts'

/** Contract section 5: a change of the activity holds for every process within one second. */
const PROPAGATION_MS = 1_000

/** The gateway gives an erasure a minute. */
const ERASE_DEADLINE_MS = 50_000

/** The engagement service without its sockets, and what its jobs and consumer need. */
export function createEngagement({
  db,
  profileDb,
  redis,
  redisDeadlineMs,
  publishOutbox,
  refreshViews,
  levelKm,
  flush,
  eraseAt,
  linkAt,
  eraseDeadlineMs = ERASE_DEADLINE_MS,
  unregisteredOnMap,
  readPoints,
  readPosition,
  readLivePositions,
  readWithin,
  event,
  hasLine,
  countRecipients,
  tags,
  auth,
  now,
  propagationMs = PROPAGATION_MS,
  receiptOf,
  ...shell
}: Dependencies) {
  const { log, metrics } = shell
  const { timezone: timeZone } = event
  const inRedis = { redis, log, redisDeadlineMs }
  const cache = createStatisticsCache({ ...inRedis, levelKm })
  const achievements = achievementsOf(db)
  const linked = linkStore(db)
  const { ownerOf } = linked
  const participants: Participants = {
    db,
    readSnapshot: snapshotReader(profileDb),
    cache,
    store: participantStore(db),
    achievements,
    publishOutbox,
    refreshViews,
    levelKm,
    ownerOf,
    receiptOf,
  }
  const activities = activityStore(db)
  const projection = activityProjection({ store: activities, ...inRedis })
  const settings = ownersSettings({ store: settingsStore(db), event, ...inRedis })
  const activity: ActivityDependencies = {
    store: activities,
    projection,
    publishOutbox,
    flush,
    unlockDue: achievements.sweep,
    now,
    propagationMs,
  }
  // Probes a table, because a database without our schema is not ready.
  const database = storeProbe('PostgreSQL', activities.read)
  const kv = storeProbe('Redis', () => redis.ping())
  const readiness = async () => {
    const [postgres, buffer] = await Promise.all([database(), kv()])
    return { postgres, redis: buffer }
  }
  const accounts = requestAccounts(shell)
  const rawBodies = { [ROUTE_UPLOAD_PATH]: ROUTE_UPLOAD_BYTES_MAX }
  const batches = [batchedProfiles(participants, accounts)]
  const guide = guideStore(db)
  const sessions = sessionStore(db)
  const links: LinkDependencies = {
    sessions,
    participants,
    achievements,
    log,
    store: linked,
    services: linkAt,
  }
  const devices = deviceStore(db)
  const setupLinks = setupLinkStore(db)
  const profiles = profileStore(inRedis)
  const showIssued = issuedView({ facts: settings.facts, offerProfile: profiles.offer })
  const lost = lostStore(db)
  const app = createHttpApp({ ...shell, service: 'engagement', readiness, rawBodies, batches, accounts })
    .use(participantRoutes(participants))
    .use(surveyRoutes(participants))
    .use(activityRoutes(activity))
    .use(publicActivityRoutes({ projection, facts: settings.facts, hasLine, auth, now }))
    .use(publicGuideRoutes({ store: guide, consent: settings.consent, now }))
    .use(adminGuideRoutes({ store: guide }))
    .use(settingsRoutes(settings))
    .use(feedbackRoutes({ store: feedbackStore(db), cache, ownerOf, receiptOf, tags }))
    .use(lostRoutes({ store: lost, tags, publishOutbox, countRecipients, metrics: lostMetrics(metrics) }))
    .use(adminLostRoutes({ store: lost, receiptOf, publishOutbox }))
    .use(lostNotificationRoute({ store: lost, readPosition }))
    .use(
      findRoutes({
        db,
        ownerOf,
        store: findStore(db),
        readLive: readLivePositions,
        findBuffered: bufferedFinder(inRedis),
      }),
    )
    .use(roleRoutes({ store: roleStore(db), ownerOf, receiptOf }))
    .use(sessionRoutes({ store: sessions, receiptOf, publishOutbox }))
    .use(linkRoutes(links))
    .use(deviceRoutes({ store: devices, receiptOf, tags, publishOutbox, showIssued, timeZone, now }))
    .use(
      setupLinkRoutes({
        tags,
        store: setupLinks,
        devices,
        receiptOf,
        publishOutbox,
        showIssued,
        facts: settings.facts,
        timeZone,
        now,
      }),
    )
    .use(profileRoutes({ store: profiles, devices, tags, facts: settings.facts }))
    .use(
      erasureRoutes({
        redis,
        store: erasureStore(db),
        devicesOf: links.store.devicesOf,
        cache,
        services: eraseAt,
        publishOutbox,
        revokeDevices: devices.revokeAll,
        now: Date.now,
        propagationMs,
        deadlineMs: eraseDeadlineMs,
      }),
    )
    .use(
      exportRoutes({
        records: { db, readBufferedCheckins: bufferedCheckinsReader(inRedis), levelKm },
        lists: exportedLists(db),
        readPoints,
        now,
        log,
      }),
    )
    .use(
      shareRoutes({
        store: shareStore(db, tags),
        readers: shareReaders(inRedis),
        receiptOf,
        readPosition,
        now,
        urlOf: (token) => `${withoutTrailingSlash(settings.publicBaseUrl() ?? '')}/s/${token}`,
      }),
    )
    .use(
      reportRoutes({
        db,
        ...inRedis,
        levelKm,
        timeZone,
        unregisteredOnMap,
        readLive: readLivePositions,
        readWithin,
      }),
    )
    .use(auditRoutes({ db }))
    .use(carbonRoutes({ db, timeZone }))
    .use(healthRoutes({ database, redis: kv, activity: () => projection.latest()?.status ?? null }))
  return {
    app,
    activity,
    achievements,
    cache,
    projection,
    settings,
    sessions,
    links,
    devices,
    setupLinks,
    lost,
  }
}

export type Engagement = ReturnType<typeof createEngagement>
