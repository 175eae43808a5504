import glyphs from './glyphs.json' with { type: 'json' }
import { at, n, path, type Spot } from './shapes.ts'

/** Outlines by character: advance and path, at 1000 units an em. Made by `test/bake-glyphs.ts`. */
const OUTLINES: ReadonlyMap<string, readonly [advance: number, outline: string]> = new Map(
  Object.entries(glyphs).map(([character, [advance, outline]]) => [
    character,
    [Number(advance), String(outline)],
  ]),
)
const UNITS_PER_EM = 1000

export type Lettering = Spot & { size: number; fill: string; spacing?: number }

/** Characters that there is no outline for; empty when all of a text can be lettered. */
export const missingLetters = (text: string): string[] => [...text].filter((letter) => !OUTLINES.has(letter))

/** How wide a text is, in pixels. */
export const lettersWidth = (
  text: string,
  { size, spacing = 0 }: Pick<Lettering, 'size' | 'spacing'>,
): number =>
  [...text].reduce(
    (width, letter) => width + ((OUTLINES.get(letter)?.[0] ?? 0) / UNITS_PER_EM) * size + spacing,
    -spacing,
  )

/** A text in the letters of temple boards, on the base line at `y`. A letter without an outline leaves a gap. */
export function letters(text: string, { x, y, size, fill, spacing = 0 }: Lettering): string {
  let offset = 0
  const scale = size / UNITS_PER_EM
  const drawn = [...text].map((letter) => {
    const [advance, outline] = OUTLINES.get(letter) ?? [0, '']
    const moved = outline ? `<g transform="translate(${n(offset / scale)} 0)">${path(outline, '')}</g>` : ''
    offset += advance * scale + spacing
    return moved
  })
  return at({ x, y, scale }, `<g fill="${fill}">${drawn.join('')}</g>`)
}
