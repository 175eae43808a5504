import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { LEVELS } from '@palanquin/domain/level'
import { backgroundSvg, themeOf } from './themes.ts'

const TITLES = [{ level: 0, nameZh: '即將啟程', nameEn: 'Not Yet on the Way' }, ...LEVELS]
const ARTWORK_BYTES_MAX = 500_000

/** The label of a title in an artwork, and how many letters it is drawn with. */
function titleIn(svg: string, id: string): { label: string; letters: number } {
  const [, label = '', outlines = ''] =
    new RegExp(`<g id="${id}" aria-label="([^"]*)">([\\s\\S]*?)</g>\\s*</g>\\s*</g>\\s*</g>`).exec(svg) ?? []
  return { label, letters: outlines.split('<path ').length - 1 }
}
const lettersOf = (title: string) => [...title].filter((letter) => letter !== ' ').length

test('the artwork of every level shows its title in both languages, letter by letter', () => {
  for (const { level, nameZh, nameEn } of TITLES) {
    const svg = backgroundSvg({ level, unlocked: false })
    expect(titleIn(svg, 'title-zh')).toEqual({ label: nameZh, letters: lettersOf(nameZh) })
    expect(titleIn(svg, 'title-en')).toEqual({ label: nameEn, letters: lettersOf(nameEn) })
  }
})

test('the artwork needs no font and loads nothing, and all of it stays small', () => {
  const files = readdirSync(import.meta.dir).filter((name) => name.endsWith('.svg'))
  const svgs = files.map((name) => readFileSync(join(import.meta.dir, name), 'utf8'))
  expect(files).toHaveLength(TITLES.length + 1)
  for (const svg of svgs)
    expect(svg).not.toMatch(/<(?:text|image|script|use|style|foreignObject)|href|@import/)
  expect(svgs.join('').length).toBeLessThan(ARTWORK_BYTES_MAX)
})

test('an unlocked achievement adds to the artwork of its level', () => {
  for (const { level } of TITLES) {
    const [plain, unlocked] = [false, true].map((unlocked) => backgroundSvg({ level, unlocked }))
    expect(unlocked).toStartWith(plain?.slice(0, plain.lastIndexOf('</svg>')) ?? 'none')
    expect(unlocked).toContain('功德圓滿')
  }
})

test('there is no theme of another level', () => {
  for (const level of [-1, 10, 1.5]) expect(() => themeOf(level)).toThrow(RangeError)
})
