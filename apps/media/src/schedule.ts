import type { Database } from '@palanquin/db/client'
import { forgetProcessed } from '@palanquin/events/once'
import { type Job, jobs } from '@palanquin/service/jobs'
import type { Log } from '@palanquin/service/log'
import type { Part } from '@palanquin/service/run'

const FORGET_EVERY_MS = 24 * 3_600_000

/** All that this service does without being asked. Every copy of it does; each job may be done twice. */
export function schedule({
  db,
  log,
  jobs: rooms,
}: {
  db: Database
  log: Log
  /** What the rooms want done. */
  jobs: readonly Job[]
}): Part {
  return jobs(log, [
    ...rooms,
    { name: 'old event ids', everyMs: FORGET_EVERY_MS, run: () => forgetProcessed(db, 'media') },
  ])
}
