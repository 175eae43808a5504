import type { Driver } from './drive.ts'
import type { Processors, Stage } from './processors.ts'
import type { Request } from './requests.ts'

/** Bytes around a body on the wire, each way: head (measured once), and TLS with TCP and IP. */
const HEAD_BYTES = 750
const WIRE_BYTES = 120

/** A stage of requests, with the bytes of one. */
export type MeasuredStage = Stage & { inBytes: number; outBytes: number }

/** How many of a stage were done in a second. */
export const perSecond = ({ pieces, tookMs }: Stage): number => Math.round((pieces / tookMs) * 1_000)

/** Sends requests as fast as they are answered, and measures them. @throws when one has another status */
export async function ask(
  processors: Processors,
  driver: Driver,
  requests: Iterator<Request, void>,
  status: number,
): Promise<MeasuredStage> {
  await driver.reopen()
  let bytes = { inBytes: 0, outBytes: 0 }
  const stage = await processors.stage(async () => {
    const { sent, tookMs, sentBytes, bodyBytes } = await driver.drive(requests, status)
    bytes = { inBytes: sentBytes / sent + WIRE_BYTES, outBytes: bodyBytes / sent + HEAD_BYTES + WIRE_BYTES }
    return { pieces: sent, tookMs }
  })
  return { ...stage, ...bytes }
}
