import { existsSync, readlinkSync } from 'node:fs'
import { constants, getPriority, setPriority } from 'node:os'
import { basename } from 'node:path'
import { createRenderer } from '../render/renderer.ts'
import type { Delivery, Order } from './messages.ts'

declare const self: Worker

/** Each slice of a fallback font is some 200 kB in memory; a thread that has met so many scripts is replaced. */
const SLICES_MAX = 48

/**
 * Behind what answers requests: a card may take a moment longer, `/health` and a card that is there may not. While the
 * threads were saturated on a crowded machine, a cached card took 110 ms at 0, 38 at 3 and 51 at 10 (99th of 100), and
 * cards came at 14, 31 and 10 a second.
 */
const NICENESS = 3
/** Linux knows a thread by a number of its own, which it shows here, and gives each thread its own priority. */
const THREAD = '/proc/thread-self'

/** From where the service stands: only root may step forward, and a service may have been started further back. */
if (existsSync(THREAD))
  setPriority(
    Number(basename(readlinkSync(THREAD))),
    Math.min(getPriority() + NICENESS, constants.priority.PRIORITY_LOW),
  )

/** A thread that draws cards, one after another. Fonts and scenes are read when the first card needs them. */
let renderer: ReturnType<typeof createRenderer> | undefined

self.onmessage = async ({ data: { id, content, scene: known } }: MessageEvent<Order>) => {
  renderer ??= createRenderer()
  const deliver = (delivery: Delivery, transfer: ArrayBuffer[] = []) => self.postMessage(delivery, transfer)
  const tired = () => (renderer?.fonts.loaded() ?? 0) > SLICES_MAX
  try {
    const { png, scene, spent } = await renderer.render(content, known)
    deliver({ id, png, scene, spent, tired: tired() }, [png.buffer])
  } catch (error) {
    deliver({ id, error: error instanceof Error ? error.message : String(error), tired: true })
  }
}
