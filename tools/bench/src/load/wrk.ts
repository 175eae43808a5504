import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Type from 'typebox'
import Compile from 'typebox/compile'
import type { LoadPlan, LoadResult } from './plan.ts'
import { requestText, userIdOf } from './requests.ts'
import type { Wrk } from './wrk-binary.ts'

const SCRIPT_FILE = join(import.meta.dir, 'wrk.lua')
/** Bodies for this many places are made in advance, so that a request costs the load almost nothing. */
const TEMPLATES = 64
/** A deadline for responses that never come; wrk normally ends by itself. */
const HANG_S = 600
const POLL_MS = 20

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

/** Generates the load with wrk, in one thread, until each request is answered. */
export async function loadByWrk({ path, env, name }: Wrk, plan: LoadPlan): Promise<LoadResult> {
  const folder = mkdtempSync(join(tmpdir(), 'palanquin-wrk-'))
  const files = {
    plan: join(folder, 'plan.lua'),
    result: join(folder, 'result.json'),
    ended: join(folder, 'ended'),
  }
  writeFileSync(files.plan, planText(plan, files))
  try {
    const child = Bun.spawn(
      [
        ...[path, '--threads', '1', '--connections', String(plan.connections)],
        ...['--duration', `${HANG_S}s`, '--timeout', `${HANG_S}s`],
        ...['--script', SCRIPT_FILE, plan.url, '--', files.plan],
      ],
      { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] },
    )
    const [out, problem, code] = await Promise.all([
      child.stdout.text(),
      child.stderr.text(),
      child.exited,
      interruptWhenEnded(child, files.ended),
    ])
    if (code !== 0) throw new Error(`wrk ended with ${code}: ${problem.trim() || out.trim()}`)
    const counts: unknown = JSON.parse(readFileSync(files.result, 'utf8'))
    if (!report.Check(counts)) throw new Error(`wrk left no report: ${out.trim()}`)
    const { sent, answered, broken, refused, ...measured } = counts
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

/**
 * Ends wrk when the script reports the end. wrk sleeps for the whole duration unless a signal interrupts that sleep: one that
 * comes before it sleeps is lost, one that comes before it handles signals kills it.
 */
async function interruptWhenEnded(child: Bun.Subprocess, endedFile: string): Promise<void> {
  while (child.exitCode === null && child.signalCode === null) {
    if (existsSync(endedFile) && catchesInterrupts(child.pid)) child.kill('SIGINT')
    await Bun.sleep(POLL_MS)
  }
}

const SIGINT_BIT = 2n
const CAUGHT_SIGNALS = /^SigCgt:\s*([0-9a-f]+)$/m

function catchesInterrupts(pid: number): boolean {
  const statusFile = `/proc/${pid}/status`
  const caught = existsSync(statusFile) && CAUGHT_SIGNALS.exec(readFileSync(statusFile, 'utf8'))?.[1]
  return Boolean(caught && BigInt(`0x${caught}`) & SIGINT_BIT)
}

/** The plan as Lua for `wrk.lua`: plain ASCII JSON, except for its brackets. */
function planText(plan: LoadPlan, files: { result: string; ended: string }): string {
  const { first, connections, forMs, requests = Number.MAX_SAFE_INTEGER } = plan
  const firstS = plan.devices ? ` first_s = ${plan.devices.firstS},` : ''
  const templates = templatesOf(plan).map((pieces) => `{${pieces.map(quoted).join(', ')}}`)
  return `return {
  first = ${first}, connections = ${connections},${firstS} for_us = ${forMs * 1_000}, requests = ${requests},
  result = ${quoted(files.result)}, ended_file = ${quoted(files.ended)},
  templates = {\n    ${templates.join(',\n    ')}\n  },
}
`
}

const quoted = (text: string): string => JSON.stringify(text)

/** Requests of several places, split where the id is inserted. */
function templatesOf(plan: LoadPlan, nowMs = Date.now()): string[][] {
  const request = { ...plan, url: new URL(plan.url) }
  const { devices } = plan
  if (devices)
    return devices.tokens.map((_, n) => requestText(request, { n, nowMs }).split(String(devices.firstS)))
  const userId = userIdOf(0)
  const texts = Array.from({ length: TEMPLATES }, (_, n) =>
    requestText(request, { n: n * 157, nowMs, userId }).split(userId),
  )
  return plan.kind === 'get' ? texts.slice(0, 1) : texts
}
