import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { LEVELS } from '@palanquin/domain/rank'
import opentype from '@shuding/opentype.js'
import { SEAL_WORDS } from '../src/cards/looks/achievement.ts'
import { NOT_YET_TITLE } from '../src/cards/looks/background.ts'

/**
 * `bun apps/media/test/bake-glyphs.ts <font.ttf>`: takes the outlines of all letters that the scenes are lettered with
 * out of a font (ours: Noto Serif TC Black, of @expo-google-fonts/noto-serif-tc), so that no 10 MB of font need be there.
 */
const FILE = join(import.meta.dir, '../src/cards/drawing/glyphs.json')
const UNITS_PER_EM = 1000
const LATIN = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz ’'

const [fontFile = ''] = process.argv.slice(2)
const bytes = readFileSync(fontFile)
const font = opentype.parse(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength))
const texts = [...LEVELS.map(({ nameZh }) => nameZh), NOT_YET_TITLE.nameZh, ...SEAL_WORDS, LATIN]
const letters = [...new Set(texts.join(''))]
const lines = letters.map((letter) => {
  const glyph = font.charToGlyph(letter)
  if (glyph.index === 0) throw new Error(`the font has no ${letter}`)
  const outline = glyph.getPath(0, 0, UNITS_PER_EM).toPathData(0)
  const advance = Math.round(((glyph.advanceWidth ?? 0) / font.unitsPerEm) * UNITS_PER_EM)
  return `  ${JSON.stringify(letter)}: ${JSON.stringify([advance, outline])}`
})
writeFileSync(FILE, `{\n${lines.join(',\n')}\n}\n`)
console.log(`${letters.length} letters are in ${FILE}`)
