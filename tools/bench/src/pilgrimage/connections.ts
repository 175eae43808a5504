import { ask, type MeasuredStage } from './ask.ts'
import { openDriver } from './drive.ts'
import type { Processors, Stage } from './processors.ts'
import { repeated } from './requests.ts'

const NEW_CONNECTIONS = 300
/** Answered by the gateway alone, so that only the connection counts. */
const NOWHERE = 'nowhere'

/** Processor time in µs that a new TLS connection adds to its first request. */
export async function connectionCostUs(
  door: { base: string; ca: string },
  processors: Processors,
): Promise<number> {
  const kept = await overKept(door, processors)
  const opened: Stage = await processors.stage(() => openings(`${door.base}/${NOWHERE}`, door.ca))
  return Math.max(0, (opened.costUs.gateway ?? 0) - (kept.costUs.gateway ?? 0))
}

/** Requests over kept connections; opened here, because the gateway closes idle ones. */
async function overKept(door: { base: string; ca: string }, processors: Processors): Promise<MeasuredStage> {
  const driver = await openDriver(door)
  try {
    return await ask(processors, driver, repeated(NOWHERE, NEW_CONNECTIONS), 404)
  } finally {
    driver.close()
  }
}

/** Requests, each over a TLS connection of its own. */
async function openings(url: string, ca: string): Promise<{ pieces: number; tookMs: number }> {
  const startedMs = performance.now()
  for (let n = 0; n < NEW_CONNECTIONS; n++) {
    const answer = await fetch(url, { tls: { ca }, keepalive: false })
    await answer.arrayBuffer()
  }
  return { pieces: NEW_CONNECTIONS, tookMs: performance.now() - startedMs }
}
