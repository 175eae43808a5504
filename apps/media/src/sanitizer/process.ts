import { writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { clean } from './sanitize.ts'
import type { Reply, Task } from './worker.ts'

/** The service's own work comes first on a machine that has both. */
const NICENESS = 5

/**
 * The process that decodes what strangers send, and has nothing else: no connection, no secret in its environment. It
 * works one task at a time, and ends when its parent does.
 */
setPriority(NICENESS)
// Where memory runs out, Linux takes this process and not the service.
if (process.platform === 'linux') writeFileSync('/proc/self/oom_score_adj', '1000')
process.on('disconnect', () => process.exit(0))
process.on('message', async ({ bytes, wanted }: Task) => {
  const before = process.cpuUsage()
  const cleaned = await clean(bytes, wanted)
  const { user, system } = process.cpuUsage(before)
  const reply: Reply = {
    cleaned,
    rssBytes: process.memoryUsage.rss(),
    processorMs: (user + system) / 1_000,
  }
  process.send?.(reply)
})
