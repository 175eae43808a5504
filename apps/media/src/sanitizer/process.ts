import { writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import type { WorkerReply } from '../worker-pool/worker.ts'
import { sanitize } from './sanitize.ts'
import type { SanitizeReply, SanitizeTask } from './sanitizer.ts'

/** The service's own work comes first on a machine that has both. */
const NICENESS = 5

/** Decodes images one by one, without connections or secrets, and ends when its parent does. */
setPriority(NICENESS)
// Where memory runs out, Linux kills this process and not the service.
if (process.platform === 'linux') writeFileSync('/proc/self/oom_score_adj', '1000')
process.on('disconnect', () => process.exit(0))
process.on('message', async ({ bytes, target }: SanitizeTask) => {
  const before = process.cpuUsage()
  const sanitized = await sanitize(bytes, target)
  const { user, system } = process.cpuUsage(before)
  const message: WorkerReply<SanitizeReply> = {
    reply: { sanitized, rssBytes: process.memoryUsage.rss(), processorMs: (user + system) / 1_000 },
  }
  process.send?.(message)
})
