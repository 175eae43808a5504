import { openConnection } from '../load/connection.ts'
import { ask, type MeasuredStage } from './ask.ts'
import { CONNECTIONS, openDriver } from './drive.ts'
import type { Processors, Stage } from './processors.ts'
import { repeated, wire } from './requests.ts'

/** Enough that a process has warmed up, and far fewer than the ephemeral ports of a machine. */
const REQUESTS = 2_000
/** Answered by the gateway alone, so that only the connection counts. */
const NOWHERE = '/nowhere'

/** Processor time in µs that a new TLS connection adds to its first request. */
export async function connectionCostUs(
  door: { base: string; ca: string },
  processors: Processors,
): Promise<number> {
  const kept = await overKept(door, processors)
  const opened: Stage = await processors.stage(() => openings(door))
  return Math.max(0, (opened.costUs.gateway ?? 0) - (kept.costUs.gateway ?? 0))
}

/** Requests over kept connections; opened here, because the gateway closes idle ones. */
async function overKept(door: { base: string; ca: string }, processors: Processors): Promise<MeasuredStage> {
  const driver = await openDriver(door)
  try {
    return await ask(processors, driver, repeated(NOWHERE, REQUESTS), 404)
  } finally {
    driver.close()
  }
}

/** Requests, each over a TLS connection of its own. */
async function openings({
  base,
  ca,
}: {
  base: string
  ca: string
}): Promise<{ pieces: number; tookMs: number }> {
  const url = new URL(base)
  const startedMs = performance.now()
  let begun = 0
  const lane = async () => {
    while (begun++ < REQUESTS) {
      const connection = await openConnection({ url, ca })
      const { status } = await connection.send(wire(url, { method: 'GET', path: NOWHERE }))
      if (status !== 404) throw new Error(`${NOWHERE} was answered ${status}, not 404`)
      connection.close()
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, lane))
  return { pieces: REQUESTS, tookMs: performance.now() - startedMs }
}
