import { createRenderer } from '../render/renderer.ts'
import type { Delivery, Order } from './messages.ts'

declare const self: Worker

/** Each slice of a fallback font is some 200 kB in memory; a thread that has met so many scripts is replaced. */
const SLICES_MAX = 48

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
