import { join } from 'node:path'
import type { LoadPlan, LoadResult } from './plan.ts'
import { loadByWrk } from './wrk.ts'
import { findWrk } from './wrk-binary.ts'

const GENERATOR_FILE = join(import.meta.dir, 'generator.ts')
/** This generator costs as much processor time as what it measures. */
export const OWN_GENERATOR = 'the generator in JavaScript'

/** The program that generates the load, and why not a better one. */
export async function loadProgram(): Promise<{ name: string; problem?: string }> {
  const wrk = await findWrk()
  return 'name' in wrk ? { name: wrk.name } : { name: OWN_GENERATOR, problem: wrk.problem }
}

/** Runs the load in a process of its own until each request is answered. */
export async function load(plan: LoadPlan, status: number): Promise<LoadResult> {
  const wrk = await findWrk()
  // wrk loses the request that it sends on a closing connection.
  const isWrks = 'path' in wrk && plan.headers?.connection !== 'close'
  return isWrks ? loadByWrk(wrk, plan) : loadByGenerator(plan, status)
}

/** Exact checks need every status counted; throughput figures do not. */
export async function loadByGenerator(plan: LoadPlan, status: number): Promise<LoadResult> {
  const child = Bun.spawn([process.execPath, '--no-env-file', GENERATOR_FILE, JSON.stringify(plan)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [text, problem, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  if (code !== 0) throw new Error(`the load on ${plan.url} broke off: ${problem.trim()}`)
  const { statuses, ...result }: Omit<LoadResult, 'by'> & { statuses: Record<string, number> } =
    JSON.parse(text)
  if (statuses[status] !== result.sent)
    throw new Error(
      `${plan.url} should have answered ${status} to ${result.sent} requests: ${JSON.stringify(statuses)}`,
    )
  return { ...result, by: OWN_GENERATOR }
}
