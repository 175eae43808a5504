import { expect, test } from 'bun:test'
import { readPicture } from './rich-menus.ts'

/** A JPEG's head: an APP0 segment of so many bytes, then the start of a frame. */
function jpeg({ width, height, frame = 0xc0, app0Bytes = 16 }: Record<string, number>): Uint8Array {
  const bytes = new Uint8Array(2 + 2 + (app0Bytes ?? 0) + 20)
  const view = new DataView(bytes.buffer)
  bytes.set([0xff, 0xd8, 0xff, 0xe0])
  view.setUint16(4, app0Bytes ?? 0)
  const at = 4 + (app0Bytes ?? 0)
  bytes.set([0xff, frame ?? 0], at)
  view.setUint16(at + 2, 17)
  view.setUint16(at + 5, height ?? 0)
  view.setUint16(at + 7, width ?? 0)
  return bytes
}

test('the size of a JPEG stands in its frame, baseline or progressive, behind any other segment', () => {
  const size = { width: 1200, height: 810 }
  for (const frame of [0xc0, 0xc2])
    for (const app0Bytes of [16, 3_000])
      expect(readPicture(jpeg({ ...size, frame, app0Bytes }))).toEqual({ format: 'jpeg', ...size })
})

test('what is no picture, or breaks off in its head, has no size', () => {
  const whole = jpeg({ width: 1200, height: 810 })
  for (const length of [0, 1, 2, 3, 10, 22]) expect(readPicture(whole.slice(0, length))).toBeUndefined()
  expect(readPicture(new TextEncoder().encode('GIF89a and some more bytes'))).toBeUndefined()
})
