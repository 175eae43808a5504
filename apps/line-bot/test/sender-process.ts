import { connectDatabase } from '@palanquin/db/client'
import { createLog } from '@palanquin/service/log'
import { createMetrics } from '@palanquin/service/metrics'
import { run } from '@palanquin/service/run'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { createLineClient } from '../src/line-client/client.ts'
import { chunkStore } from '../src/push/chunks.ts'
import { createDelivery } from '../src/push/deliver.ts'
import { pushMetrics } from '../src/push/metrics.ts'
import { quotaReader } from '../src/push/quota.ts'
import { createSender } from '../src/push/sender.ts'
import { pushStore } from '../src/push/store.ts'

/** The sender alone, as a process that a test may kill; its leases are short. */
const needed = (name: string): string => {
  const value = process.env[name]
  if (!value) throw new Error(`${name} is missing`)
  return value
}
const log = createLog({ service: 'sender', level: 'silent' })
const db = connectDatabase({ url: needed('DATABASE_URL'), name: 'sender', log, deadlineMs: TEST_TIMEOUT_MS })
const client = createLineClient({
  apiBase: needed('LINE_API_BASE'),
  dataApiBase: needed('LINE_DATA_API_BASE'),
  accessToken: needed('LINE_CHANNEL_ACCESS_TOKEN'),
})
const chunks = chunkStore(db)
const deliver = createDelivery({
  client,
  chunks,
  quota: quotaReader({ client, reservePercent: 10, now: Date.now }),
  compose: async () => null,
  metrics: pushMetrics(createMetrics('sender')),
  log,
  chance: () => 1,
})
run({
  log,
  parts: [
    createSender({ store: pushStore(db, () => 'no mark'), chunks, deliver, log, leaseMs: 1_000, idleMs: 50 }),
  ],
})
