import type { CardContent } from '../content.ts'
import type { Scene } from '../render/pixels.ts'
import type { Spent } from '../render/renderer.ts'

/** To a thread: draw this, on this scene if another thread has drawn it already. */
export type Order = { id: number; content: CardContent; scene: Scene | undefined }

/** From a thread: here it is, or why not. `tired` once it has read so much that a fresh one should take its place. */
export type Delivery = { id: number; tired: boolean } & (
  | { png: Uint8Array<ArrayBuffer>; scene: Scene; spent: Spent }
  | { error: string }
)
