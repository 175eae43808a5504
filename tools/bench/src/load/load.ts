import { join } from 'node:path'
import type { LoadPlan, LoadResult } from './plan.ts'
import { loadByWrk } from './wrk.ts'
import { findWrk } from './wrk-binary.ts'

const GENERATOR_FILE = join(import.meta.dir, 'generator.ts')
/** Costs as much processor time as what it measures, so that ratios by throughput flatter the slower side. */
export const OWN_GENERATOR = 'the generator in JavaScript'

/** By what program a load is made here, and why by no better one. */
export async function loadProgram(): Promise<{ name: string; problem?: string }> {
  const wrk = await findWrk()
  return 'name' in wrk ? { name: wrk.name } : { name: OWN_GENERATOR, problem: wrk.problem }
}

/**
 * Lets a process of its own make the load, until each request is answered: wrk, or where there is none a generator in
 * JavaScript.
 * @throws Error when a connection breaks, or an answer has another status than `status` (by wrk: one of 400 or more)
 */
export async function load(plan: LoadPlan, status: number): Promise<LoadResult> {
  const wrk = await findWrk()
  // wrk sends its next request over the connection that is being closed, and loses it.
  const isWrks = 'path' in wrk && plan.headers?.connection !== 'close'
  return isWrks ? loadByWrk(wrk, plan) : loadByGenerator(plan, status)
}

/** Every status is counted: for what has to be exactly one, and for no figure of throughput. */
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
      `${plan.url} was to answer ${status} to ${result.sent} requests: ${JSON.stringify(statuses)}`,
    )
  return { ...result, by: OWN_GENERATOR }
}
