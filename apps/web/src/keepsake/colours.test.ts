import { describe, expect, test } from 'bun:test'
import { DAY_COLOURS, GROUND } from './colours.ts'

/** WCAG 1.4.11 for graphics, 1.4.3 for the number in the mark. */
const GRAPHICS_MIN = 3
const NUMBER_MIN = 4.5
/** Of OKLab, where 0.02 can just be distinguished side by side. */
const DIFFERENCE_MIN = 0.12

type Rgb = [number, number, number]
const linear = (hex: string): Rgb => {
  const of = (at: number) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  }
  return [of(1), of(3), of(5)]
}
const luminance = ([r, g, b]: Rgb) => 0.2126 * r + 0.7152 * g + 0.0722 * b
const contrast = (one: string, other: string) => {
  const [a, b] = [luminance(linear(one)), luminance(linear(other))]
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
}
const lab = ([r, g, b]: Rgb): Rgb => {
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b)
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b)
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b)
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ]
}
const difference = (one: Rgb, other: Rgb) =>
  Math.hypot(...lab(one).map((value, at) => value - (lab(other)[at] ?? 0)))
const times =
  (rows: readonly Rgb[]) =>
  (rgb: Rgb): Rgb => {
    const of = (row: Rgb | undefined) =>
      Math.min(
        1,
        Math.max(
          0,
          (row ?? [0, 0, 0]).reduce((sum, part, at) => sum + part * (rgb[at] ?? 0), 0),
        ),
      )
    return [of(rows[0]), of(rows[1]), of(rows[2])]
  }
/** As Machado and others (2009) compute complete red and green blindness. */
const SEEN: Record<string, (rgb: Rgb) => Rgb> = {
  everybody: (rgb) => rgb,
  protanopia: times([
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ]),
  deuteranopia: times([
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ]),
}

describe.each(['light', 'dark'] as const)('the colours of the days, %s', (scheme) => {
  const colours = DAY_COLOURS[scheme]
  const { land, sea, number } = GROUND[scheme]

  test('stand out from land and sea, and their numbers from them', () => {
    for (const colour of colours)
      expect({
        colour,
        onLand: contrast(colour, land) >= GRAPHICS_MIN,
        atSea: contrast(colour, sea) >= GRAPHICS_MIN,
        number: contrast(colour, number) >= NUMBER_MIN,
      }).toEqual({ colour, onLand: true, atSea: true, number: true })
  })

  test.each(Object.keys(SEEN))('differ from those of the days before and after for %s', (who) => {
    const see = SEEN[who] ?? ((rgb: Rgb) => rgb)
    for (const [at, colour] of colours.entries()) {
      const next = colours[(at + 1) % colours.length] ?? ''
      const apart = difference(see(linear(colour)), see(linear(next)))
      expect({ colour, next, apart: apart >= DIFFERENCE_MIN ? 'enough' : apart }).toEqual({
        colour,
        next,
        apart: 'enough',
      })
    }
  })
})
