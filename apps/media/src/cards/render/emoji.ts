import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Twemoji: graphics by Twitter and contributors, CC-BY 4.0 (docs/architecture.md). */
const FOLDER = dirname(Bun.resolveSync('@twemoji/svg/1f525.svg', import.meta.dir))

const JOINER = 0x200d
const VARIATION = 0xfe0f

/** The file of an emoji; null when there is none. */
export function emojiFile(grapheme: string): string | null {
  for (const name of namesOf(grapheme)) {
    const file = join(FOLDER, `${name}.svg`)
    if (existsSync(file)) return file
  }
  return null
}

/** Files are named by code points, some with the variation selector and some without. */
function namesOf(grapheme: string): string[] {
  const points = [...grapheme].map((character) => character.codePointAt(0) ?? 0)
  const plain = points.filter((point) => point !== VARIATION)
  const name = (list: readonly number[]) => list.map((point) => point.toString(16)).join('-')
  const names = points.includes(JOINER) ? [name(points), name(plain)] : [name(plain), name(points)]
  return names.every((given) => /^[0-9a-f-]{2,80}$/.test(given)) ? names : []
}
