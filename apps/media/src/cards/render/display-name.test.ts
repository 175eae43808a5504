import { beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import fc from 'fast-check'
import { SAMPLES } from '../gallery/samples.ts'
import names from '../names.json' with { type: 'json' }
import { graphemesOf, nameOf } from './display-name.ts'
import { fitLine } from './fit.ts'
import { type Fonts, openFonts } from './fonts.ts'
import { readFont } from './sfnt.ts'
import { type Run, typeset, widthOf } from './typeset.ts'
import { wordingOf } from './wording.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

let fonts: Fonts
beforeAll(() => {
  fonts = openFonts()
})

const points = (text: string) => [...text].map((character) => character.codePointAt(0) ?? 0)
const textOf = (runs: readonly Run[]) => runs.map(({ text }) => text).join('')

/** Characters of runs that their own font file has no glyph for: what would be an empty box. */
function boxesIn(runs: readonly Run[]): string[] {
  return runs.flatMap((run) => {
    if (!('face' in run)) return []
    const font = readFont(new Uint8Array(run.face.data))
    return [...run.text].filter((character) => points(character).some((point) => !font.has(point)))
  })
}

describe('a name never shows an empty box', () => {
  for (const { kind, name, shown } of names)
    test(kind, () => {
      const runs = typeset(nameOf(name) ?? '', fonts)
      expect(boxesIn(runs)).toEqual([])
      const text = textOf(runs)
      const isReversed = /[\u0590-\u06ff]/.test(text)
      if (!isReversed) expect(text.normalize('NFC')).toBe((shown ?? name).normalize('NFC'))
      else expect([...text].sort()).toEqual([...(shown ?? name)].sort())
    })

  test('any text at all', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 12 }), (text) => {
        expect(boxesIn(typeset(nameOf(text) ?? '', fonts))).toEqual([])
      }),
      { seed: 4, numRuns: 150 },
    )
  })

  test('all of Big5 is in the first font', () => {
    const decoder = new TextDecoder('big5')
    const missing: string[] = []
    for (const [from, to] of [
      [0xa4, 0xc6],
      [0xc9, 0xf9],
    ] as const)
      for (let high = from; high <= to; high++)
        for (let low = 0x40; low <= 0xfe; low++) {
          if (low > 0x7e && low < 0xa1) continue
          const character = decoder.decode(new Uint8Array([high, low]))
          if (/^\p{Script=Han}$/u.test(character) && !fonts.main.has(points(character)[0] ?? 0))
            missing.push(character)
        }
    expect(missing).toEqual([])
  })

  test('every word of the cards themselves is in the first font', () => {
    for (const { content } of SAMPLES) {
      const { figures, next } = wordingOf(content)
      const words = JSON.stringify([figures, next.heading, next.bars])
      expect([...words].filter((character) => !fonts.main.has(points(character)[0] ?? 0))).toEqual([])
    }
  })
})

describe('a line of a name', () => {
  const sizes = { widthPx: 644, sizePxMax: 58, sizePxMin: 34 }

  test('has the full size when short, a smaller one when longer, and an ellipsis when too long', () => {
    const short = fitLine('林媽媽', { fonts, ...sizes })
    expect([textOf(short.runs), short.sizePx]).toEqual(['林媽媽', 58])
    const longer = fitLine('林'.repeat(15), { fonts, ...sizes })
    expect(textOf(longer.runs)).toBe('林'.repeat(15))
    expect(longer.sizePx).toBeLessThan(58)
    const long = fitLine('林'.repeat(100), { fonts, ...sizes })
    expect(textOf(long.runs)).toMatch(/^林{17,18}…$/)
    expect(long.sizePx).toBe(34)
  })

  test('fits with any content, and is never cut inside a character', () => {
    const part = fc.constantFrom('林', 'W', 'i', '👨‍👩‍👧‍👦', 'é', 'ใจ', '김', '𠮷', ' ', '🇹🇼')
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 80 }), (parts) => {
        const text = nameOf(parts.join('')) ?? '林'
        const { runs, sizePx } = fitLine(text, { fonts, ...sizes })
        expect(widthOf(runs) * sizePx).toBeLessThanOrEqual(sizes.widthPx + 0.001)
        const shown = textOf(runs).replace(/…$/, '').trimEnd()
        expect(graphemesOf(text).slice(0, graphemesOf(shown).length).join('').trimEnd()).toBe(shown)
      }),
      { seed: 7, numRuns: 200 },
    )
  })
})

test('no name of the corpus is listed twice', () => {
  const kinds = names.map(({ kind }) => kind)
  expect(new Set(kinds).size).toBe(kinds.length)
  expect(readFileSync(new URL('../names.json', import.meta.url), 'utf8')).toContain('𠮷')
})
