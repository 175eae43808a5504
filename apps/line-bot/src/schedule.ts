import type { Database } from '@palanquin/db/client'
import { forgetProcessed } from '@palanquin/events/once'
import { jobs } from '@palanquin/service/jobs'
import type { Log } from '@palanquin/service/log'
import type { Part } from '@palanquin/service/run'
import type { LineBot } from './app.ts'

const FORGET_EVERY_MS = 24 * 3_600_000

/** All that this service does without being asked. Every copy of it does; each job may be done twice. */
export function schedule({ db, bot, log }: { db: Database; bot: LineBot; log: Log }): Part {
  return jobs(log, [
    { name: 'old event ids', everyMs: FORGET_EVERY_MS, run: () => forgetProcessed(db, 'line') },
    { name: 'forgotten strangers', everyMs: FORGET_EVERY_MS, run: bot.people.forgetUnregistered },
    ...bot.jobs,
  ])
}
