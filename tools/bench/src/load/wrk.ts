import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Type from 'typebox'
import Compile from 'typebox/compile'
import type { LoadPlan, LoadResult } from './plan.ts'
import { requestText, userIdOf } from './requests.ts'
import type { Wrk } from './wrk-binary.ts'

const SCRIPT_FILE = join(import.meta.dir, 'wrk.lua')
/** Bodies of so many places: made before the load begins, so that a request costs the load next to nothing. */
const TEMPLATES = 64
/** wrk ends by itself when all is answered; this ends one whose answers do not come. */
const HANG_S = 600

const Report = Type.Object({
  sent: Type.Integer(),
  answered: Type.Integer(),
  bytes: Type.Integer(),
  lastedMs: Type.Number(),
  p50Ms: Type.Number(),
  p99Ms: Type.Number(),
  broken: Type.Integer(),
  refused: Type.Integer(),
})
const report = Compile(Report)

/**
 * Lets wrk make the load, over one thread, until each request is answered.
 * @throws Error when a connection breaks, or an answer has a status of 400 or more
 */
export async function loadByWrk({ path, env, name }: Wrk, plan: LoadPlan): Promise<LoadResult> {
  const folder = mkdtempSync(join(tmpdir(), 'palanquin-wrk-'))
  const [planFile, result] = [join(folder, 'plan.lua'), join(folder, 'result.json')]
  writeFileSync(planFile, planText(plan, result))
  try {
    const child = Bun.spawn(
      [
        ...[path, '--threads', '1', '--connections', String(plan.connections)],
        ...['--duration', `${HANG_S}s`, '--timeout', `${HANG_S}s`],
        ...['--script', SCRIPT_FILE, plan.url, '--', planFile],
      ],
      { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] },
    )
    const [out, problem, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    if (code !== 0) throw new Error(`wrk ended with ${code}: ${problem.trim() || out.trim()}`)
    const told: unknown = JSON.parse(readFileSync(result, 'utf8'))
    if (!report.Check(told)) throw new Error(`wrk left no report: ${out.trim()}`)
    const { sent, answered, broken, refused, ...measured } = told
    if (broken > 0 || refused > 0 || answered !== sent)
      throw new Error(
        `${plan.url}: of ${sent} requests ${answered} were answered, ${refused} with an error; ${broken} connections broke`,
      )
    return {
      ...measured,
      sent,
      perSecond: (sent / measured.lastedMs) * 1_000,
      cpuMs: Number(child.resourceUsage()?.cpuTime.total ?? 0n) / 1_000,
      by: name,
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The plan as `wrk.lua` reads it. JSON of plain ASCII is Lua, but for its brackets. */
function planText(plan: LoadPlan, result: string): string {
  const { first, connections, forMs, requests = Number.MAX_SAFE_INTEGER } = plan
  const templates = templatesOf(plan).map((pieces) => `{${pieces.map(quoted).join(', ')}}`)
  return `return {
  first = ${first}, connections = ${connections}, for_us = ${forMs * 1_000}, requests = ${requests},
  result = ${quoted(result)},
  templates = {\n    ${templates.join(',\n    ')}\n  },
}
`
}

const quoted = (text: string): string => JSON.stringify(text)

/** Requests of several places, each cut where the id stands. */
export function templatesOf(plan: LoadPlan, nowMs = Date.now()): string[][] {
  const request = { ...plan, url: new URL(plan.url) }
  const userId = userIdOf(0)
  const texts = Array.from({ length: TEMPLATES }, (_, n) =>
    requestText(request, { n: n * 157, nowMs, userId }).split(userId),
  )
  return plan.kind === 'get' ? texts.slice(0, 1) : texts
}
