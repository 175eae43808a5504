import { percentile } from '@palanquin/demo/request-counts'
import { openConnection } from './connection.ts'
import type { LoadPlan } from './plan.ts'
import { requestText } from './requests.ts'

/** The load generator: its plan on the command line, its result on standard output. */
const plan: LoadPlan = JSON.parse(process.argv[2] ?? '')
const url = new URL(plan.url)
const ca = plan.caFile === undefined ? undefined : await Bun.file(plan.caFile).text()
const open = () => openConnection({ url, ca })
const isClosing = plan.headers?.connection === 'close'
const connections = await Promise.all(Array.from({ length: plan.connections }, open))
const encoder = new TextEncoder()
const usedBefore = process.cpuUsage()
const statuses: Record<string, number> = {}
const tookMs: number[] = []
let sent = 0
let received = 0
const startedMs = performance.now()
const endMs = startedMs + plan.forMs
const wallMs = Date.now()

const request = { ...plan, url }
/** Identical requests are formatted once. */
const same = plan.kind === 'get' ? encoder.encode(requestText(request, { n: 0, nowMs: wallMs })) : undefined

await Promise.all(
  connections.map(async (first) => {
    let connection: typeof first | undefined = first
    for (;;) {
      const beganMs = performance.now()
      if (beganMs >= endMs || (plan.requests !== undefined && sent >= plan.requests)) return
      const n = plan.first + sent++
      const bytes = same ?? encoder.encode(requestText(request, { n, nowMs: wallMs + beganMs - startedMs }))
      connection ??= await open()
      const answered = await connection.send(bytes)
      if (isClosing) {
        connection.close()
        connection = undefined
      }
      tookMs.push(performance.now() - beganMs)
      statuses[answered.status] = (statuses[answered.status] ?? 0) + 1
      received += answered.bytes
    }
  }),
)
const lastedMs = performance.now() - startedMs
const used = process.cpuUsage(usedBefore)
for (const connection of connections) connection.close()
const result = {
  sent,
  statuses,
  bytes: received,
  lastedMs,
  perSecond: (tookMs.length / lastedMs) * 1_000,
  p50Ms: percentile(tookMs, 0.5),
  p99Ms: percentile(tookMs, 0.99),
  cpuMs: (used.user + used.system) / 1_000,
}
process.stdout.write(JSON.stringify(result))
