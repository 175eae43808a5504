import { join } from 'node:path'
import type { Kind } from './requests.ts'

const GENERATOR_FILE = join(import.meta.dir, 'generator.ts')

export type LoadPlan = {
  url: string
  caFile?: string
  kind: Kind
  /** Requests at once, each over a connection of its own that stays open. */
  connections: number
  forMs: number
  /** Ends earlier after so many. */
  requests?: number
  /** The number of the first walker. */
  first: number
  headers?: Record<string, string>
}

export type LoadResult = {
  sent: number
  /** How many answers of each status; together they are as many as were sent. */
  statuses: Record<string, number>
  /** Of the bodies that came back. */
  bytes: number
  lastedMs: number
  perSecond: number
  p50Ms: number
  p99Ms: number
  /** What the load itself took of the processors. */
  cpuMs: number
}

/**
 * Lets a process of its own make the load, until each request is answered.
 * @throws Error when a connection breaks, or an answer has another status than `status`
 */
export async function load(plan: LoadPlan, status: number): Promise<LoadResult> {
  const child = Bun.spawn([process.execPath, '--no-env-file', GENERATOR_FILE, JSON.stringify(plan)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [text, problem, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  if (code !== 0) throw new Error(`the load on ${plan.url} broke off: ${problem.trim()}`)
  const result: LoadResult = JSON.parse(text)
  if (result.statuses[status] !== result.sent)
    throw new Error(
      `${plan.url} was to answer ${status} to ${result.sent} requests: ${JSON.stringify(result.statuses)}`,
    )
  return result
}
