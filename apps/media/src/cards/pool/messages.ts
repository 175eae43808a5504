import type { CardContent } from '../content.ts'
import type { Spent } from '../render/renderer.ts'

/** To a thread: draw this. */
export type Order = { id: number; content: CardContent }

/** From a thread: here it is, or why not. `tired` once it has read so much that a fresh one should take its place. */
export type Delivery = { id: number; tired: boolean } & (
  | { png: Uint8Array<ArrayBuffer>; spent: Spent }
  | { error: string }
)
