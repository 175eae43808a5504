import { existsSync, readlinkSync } from 'node:fs'
import { constants, getPriority, setPriority } from 'node:os'
import { basename } from 'node:path'
import type { WorkerReply } from '../../worker-pool/worker.ts'
import type { RenderedCard, RenderTask } from './card-pool.ts'
import { createRenderer } from './renderer.ts'

declare const self: Worker

/** A slice of a fallback font has some 200 kB in memory: then the thread is replaced. */
const SLICES_MAX = 48

/** Below the threads of requests: at 0 a cached card took 110 ms on a crowded machine, at 3 38 ms. */
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
