import type { Database } from '@palanquin/db/client'
import { forgetProcessed } from '@palanquin/events/once'
import type { Job } from '@palanquin/service/schedule'
import { concludeActivity } from './activity/change.ts'
import type { Engagement } from './app.ts'
import { finishLinks, mergeLateWrites } from './linking/link.ts'

/** Half of the second within which every process follows a change of the activity. */
const PROJECT_EVERY_MS = 500
/** For a caller who does not call again after a cut-off call. */
const CONCLUDE_EVERY_MS = 30_000
/** Consent that is taken back is gone from every open map within ten seconds. */
const LATE_EVERY_MS = 5_000
/** For events that were lost with an emptied Redis. */
const UNLOCK_EVERY_MS = 5 * 60_000
const FORGET_SESSIONS_EVERY_MS = 3_600_000
const FORGET_LOST_EVERY_MS = 3_600_000
const FORGET_EVERY_MS = 24 * 3_600_000

/** Periodic jobs, all idempotent: every copy of this service runs them. */
export function jobsOf({ engagement, db }: { engagement: Engagement; db: Database }): Job[] {
  const { projection, settings, cache, activity, achievements, sessions, links, devices, setupLinks, lost } =
    engagement
  return [
    { name: 'projection of the activity', everyMs: PROJECT_EVERY_MS, run: projection.project },
    { name: 'projection of the settings', everyMs: PROJECT_EVERY_MS, run: settings.project },
    { name: 'cache drops to retry', everyMs: PROJECT_EVERY_MS, run: cache.retryDrops },
    { name: 'unfinished end', everyMs: CONCLUDE_EVERY_MS, run: () => concludeActivity(activity, 'schedule') },
    { name: 'due achievements', everyMs: UNLOCK_EVERY_MS, run: achievements.sweep },
    { name: 'unfinished links', everyMs: CONCLUDE_EVERY_MS, run: () => finishLinks(links, null) },
    { name: 'late writes of linked devices', everyMs: LATE_EVERY_MS, run: () => mergeLateWrites(links) },
    { name: 'old sessions', everyMs: FORGET_SESSIONS_EVERY_MS, run: sessions.forget },
    { name: 'old cases of lost and found', everyMs: FORGET_LOST_EVERY_MS, run: lost.forget },
    { name: 'unused devices', everyMs: FORGET_EVERY_MS, run: devices.forget },
    { name: 'old setup links', everyMs: FORGET_SESSIONS_EVERY_MS, run: setupLinks.forget },
    { name: 'old event ids', everyMs: FORGET_EVERY_MS, run: () => forgetProcessed(db, 'engagement') },
  ]
}
