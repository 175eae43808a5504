import { inflateSync } from 'node:zlib'

const WOFF = 0x774f4646
const SFNT_HEADER_BYTES = 12
const SFNT_RECORD_BYTES = 16
const WOFF_HEADER_BYTES = 44
const WOFF_RECORD_BYTES = 20
const WINDOWS = 3
const UNICODE_BMP = 1
const UNICODE_FULL = 10

/** What layout needs to know of a font: which characters it has, and how wide they are. */
export type FontFacts = {
  has: (codePoint: number) => boolean
  /** Width in ems; 0 for a character that it does not have. */
  advanceEm: (codePoint: number) => number
}

/** The character map and widths of a TrueType font, plain or as WOFF 1. @throws RangeError */
export function readFont(file: Uint8Array): FontFacts {
  const table = tablesOf(file)
  const unitsPerEm = table('head').getUint16(18)
  const metricsCount = table('hhea').getUint16(34)
  const metrics = table('hmtx')
  const glyphs = readCharacterMap(table('cmap'))
  return {
    has: (codePoint) => glyphs.has(codePoint),
    advanceEm: (codePoint) => {
      const glyph = glyphs.get(codePoint)
      return glyph === undefined ? 0 : metrics.getUint16(Math.min(glyph, metricsCount - 1) * 4) / unitsPerEm
    },
  }
}

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

function tablesOf(file: Uint8Array): (tag: string) => DataView {
  const view = viewOf(file)
  const woff = view.getUint32(0) === WOFF
  const count = view.getUint16(woff ? 12 : 4)
  return (tag) => {
    for (let i = 0; i < count; i++) {
      const record = woff
        ? WOFF_HEADER_BYTES + i * WOFF_RECORD_BYTES
        : SFNT_HEADER_BYTES + i * SFNT_RECORD_BYTES
      if (String.fromCharCode(...file.subarray(record, record + 4)) !== tag) continue
      if (!woff) {
        const offset = view.getUint32(record + 8)
        return viewOf(file.subarray(offset, offset + view.getUint32(record + 12)))
      }
      const offset = view.getUint32(record + 4)
      const stored = file.subarray(offset, offset + view.getUint32(record + 8))
      return viewOf(stored.length < view.getUint32(record + 12) ? inflateSync(stored) : stored)
    }
    throw new RangeError(`the font has no table ${tag}`)
  }
}

/** Code point to glyph, from the largest Unicode subtable (formats 4 and 12). */
function readCharacterMap(cmap: DataView): Map<number, number> {
  let best: { offset: number; full: boolean } | undefined
  for (let i = 0; i < cmap.getUint16(2); i++) {
    const record = 4 + i * 8
    const platform = cmap.getUint16(record)
    const encoding = cmap.getUint16(record + 2)
    const full =
      platform === WINDOWS ? encoding === UNICODE_FULL : platform === 0 && encoding >= 4 && encoding !== 5
    const basic = platform === WINDOWS ? encoding === UNICODE_BMP : platform === 0 && encoding <= 3
    if ((full || basic) && (!best || (full && !best.full)))
      best = { offset: cmap.getUint32(record + 4), full }
  }
  if (!best) throw new RangeError('the font has no Unicode character map')
  const format = cmap.getUint16(best.offset)
  if (format === 12) return segments12(cmap, best.offset)
  if (format === 4) return segments4(cmap, best.offset)
  throw new RangeError(`a character map of format ${format}`)
}

function segments12(cmap: DataView, start: number): Map<number, number> {
  const glyphs = new Map<number, number>()
  for (let i = 0; i < cmap.getUint32(start + 12); i++) {
    const group = start + 16 + i * 12
    const first = cmap.getUint32(group)
    for (let point = first; point <= cmap.getUint32(group + 4); point++)
      glyphs.set(point, cmap.getUint32(group + 8) + point - first)
  }
  return glyphs
}

function segments4(cmap: DataView, start: number): Map<number, number> {
  const glyphs = new Map<number, number>()
  const twice = cmap.getUint16(start + 6)
  for (let i = 0; i < twice; i += 2) {
    const last = cmap.getUint16(start + 14 + i)
    const first = cmap.getUint16(start + 16 + twice + i)
    const delta = cmap.getUint16(start + 16 + twice * 2 + i)
    const rangeAt = start + 16 + twice * 3 + i
    const range = cmap.getUint16(rangeAt)
    for (let point = first; point <= last && point !== 0xffff; point++) {
      const listed = range === 0 ? point : cmap.getUint16(rangeAt + range + (point - first) * 2)
      const glyph = listed === 0 && range !== 0 ? 0 : (listed + delta) & 0xffff
      if (glyph !== 0) glyphs.set(point, glyph)
    }
  }
  return glyphs
}
