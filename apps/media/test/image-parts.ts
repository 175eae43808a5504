import sharp, { type Sharp } from 'sharp'
import type { Shape } from './png.ts'

/** The expected result: rejection, a clean PNG of this size, or either. */
type Expected = 'refused' | 'either' | { width: number; height: number }
export type Hostile = { name: string; bytes: Uint8Array; expected: Expected }

/** Part of every payload that must not survive. */
export const CANARY = 'CANARY-must-not-survive'
export const SCRIPT = `<script>alert('${CANARY}')</script>`
export const SMALL: Shape = { width: 60, height: 40 }
export const small = { width: 60, height: 40 }

export const text = (value: string): Buffer => Buffer.from(value, 'latin1')
export const keyword = (name: string, ...rest: Uint8Array[]) => Buffer.concat([text(`${name}\0`), ...rest])
export const zeros = (count: number) => Buffer.alloc(count)
export const photo = () => sharp({ create: { ...small, channels: 3, background: '#385f71' } })

/** A GIF, APNG or WebP of two frames, one red, one blue. */
export const frames = (): Sharp => {
  const raw = Buffer.concat([
    Buffer.alloc(60 * 40 * 3, text('\xff\0\0')),
    Buffer.alloc(60 * 40 * 3, text('\0\0\xff')),
  ])
  return sharp(raw, { raw: { width: 60, height: 80, channels: 3, pageHeight: 40 } })
}
