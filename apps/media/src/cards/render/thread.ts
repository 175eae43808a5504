import { existsSync, readlinkSync } from 'node:fs'
import { constants, getPriority, setPriority } from 'node:os'
import { basename } from 'node:path'
import type { WorkerReply } from '../../worker-pool/worker.ts'
import type { RenderedCard, RenderTask } from './card-pool.ts'
import { createRenderer } from './renderer.ts'

declare const self: Worker

/** Each slice of a fallback font is some 200 kB in memory; a thread that has read so many is replaced. */
const SLICES_MAX = 48

/**
 * Below the threads of requests: a new card may take a little longer, `/health` and a cached card may not. While all threads
 * were busy on a crowded machine, a cached card took 110 ms at 0, 38 at 3 and 51 at 10 (99th of 100), and 14, 31 and 10
 * cards a second were rendered.
 */
const NICENESS = 3
/** Linux gives each thread a priority of its own, by the number that it shows here. */
const THREAD = '/proc/thread-self'

/** Relative to the service, which may have been started with a niceness: only root may lower one. */
if (existsSync(THREAD))
  setPriority(
    Number(basename(readlinkSync(THREAD))),
    Math.min(getPriority() + NICENESS, constants.priority.PRIORITY_LOW),
  )

/** Fonts and scenes are read when the first card needs them. */
let renderer: ReturnType<typeof createRenderer> | undefined

const post = (message: WorkerReply<RenderedCard>, transfer: ArrayBuffer[] = []) =>
  self.postMessage(message, transfer)

self.onmessage = async ({ data: { content, scene: known } }: MessageEvent<RenderTask>) => {
  renderer ??= createRenderer()
  try {
    const { png, scene, spent } = await renderer.render(content, known)
    post({ reply: { png, scene, spent, isWornOut: renderer.fonts.loaded() > SLICES_MAX } }, [png.buffer])
  } catch (error) {
    post({ error: error instanceof Error ? error.message : String(error) })
  }
}
