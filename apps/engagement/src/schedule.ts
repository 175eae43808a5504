import type { Database } from '@palanquin/db/client'
import { forgetProcessed } from '@palanquin/events/once'
import { jobs } from '@palanquin/service/jobs'
import type { Log } from '@palanquin/service/log'
import type { Part } from '@palanquin/service/run'
import { concludeActivity } from './activity/change.ts'
import type { Engagement } from './app.ts'

/** Half of the second within which every process knows of a change of the activity. */
const PROJECT_EVERY_MS = 500
/** An administrator whose call was cut off calls again sooner; this is for when nobody does. */
const CONCLUDE_EVERY_MS = 30_000
/** Achievements follow events at once; this is for events that a Redis lost which came back empty. */
const UNLOCK_EVERY_MS = 5 * 60_000
const FORGET_EVERY_MS = 24 * 3_600_000

/** All that this service does without being asked. Every copy of it does; each job may be done twice. */
export function schedule({ engagement, db, log }: { engagement: Engagement; db: Database; log: Log }): Part {
  const { projection, cache, activity, achievements } = engagement
  return jobs(log, [
    { name: 'projection of the activity', everyMs: PROJECT_EVERY_MS, run: projection.project },
    { name: 'owed cache drops', everyMs: PROJECT_EVERY_MS, run: cache.retryDrops },
    { name: 'unfinished end', everyMs: CONCLUDE_EVERY_MS, run: () => concludeActivity(activity, 'schedule') },
    { name: 'due achievements', everyMs: UNLOCK_EVERY_MS, run: achievements.sweep },
    { name: 'old event ids', everyMs: FORGET_EVERY_MS, run: () => forgetProcessed(db, 'engagement') },
  ])
}
