import { child, type Drawn, text } from './markup.ts'

/** LINE's words in pixels, as its phone draws them, roughly. */
const GAPS: Record<string, number> = { none: 0, xs: 2, sm: 4, md: 8, lg: 12, xl: 16, xxl: 20 }
const SIZES: Record<string, number> = {
  xxs: 11,
  xs: 13,
  sm: 14,
  md: 16,
  lg: 19,
  xl: 22,
  xxl: 29,
  '3xl': 35,
  '4xl': 48,
  '5xl': 74,
}
const BORDERS: Record<string, number> = { light: 0.5, normal: 1, medium: 2, 'semi-bold': 3, bold: 4 }
const ALIGNS: Record<string, string> = { start: 'left', center: 'center', end: 'right' }
const MEASURE = /^\d+(\.\d+)?(px|%)$/
const COLOUR = /^#[0-9a-f]{6}([0-9a-f]{2})?$/i
const ARRANGE = /^(center|flex-start|flex-end|space-(between|around|evenly))$/

/** A length as CSS; empty for anything that LINE does not know. */
function length(value: string, words: Record<string, number> = GAPS): string {
  const pixels = words[value]
  return pixels === undefined ? (MEASURE.test(value) ? value : '') : `${pixels}px`
}

const rule = (name: string, value: string): string => (value ? `${name}:${value}` : '')
const colour = (value: string): string => (COLOUR.test(value) ? value : '')
const joined = (...rules: string[]): string => rules.filter(Boolean).join(';')

/** The space before a component, and where it is put. */
export function margin(node: Drawn, layout: string): string {
  const side = layout === 'vertical' ? 'margin-top' : 'margin-left'
  const absolute = text(node, 'position') === 'absolute'
  return joined(
    rule(side, length(text(node, 'margin'))),
    absolute ? 'position:absolute' : '',
    rule('top', length(text(node, 'offsetTop'))),
    rule('bottom', length(text(node, 'offsetBottom'))),
    rule('left', length(text(node, 'offsetStart'))),
    rule('right', length(text(node, 'offsetEnd'))),
  )
}

/** How a component shares the space of the box around it: across, everything takes one part by default. */
function share(node: Drawn, layout: string): string {
  const parts = text(node, 'flex').replace(/\D/g, '') || (layout === 'vertical' ? '' : '1')
  return rule('flex', parts === '0' ? 'none' : parts)
}

export function boxStyle(node: Drawn, layout: string): string {
  // Only a size along the box around it takes the place of a share: a bar is as high as it says.
  const sized = text(node, layout === 'vertical' ? 'height' : 'width') !== ''
  const arranged = (name: string) => (ARRANGE.test(text(node, name)) ? text(node, name) : '')
  return joined(
    sized ? 'flex:0 0 auto' : share(node, layout),
    rule('gap', length(text(node, 'spacing'))),
    rule('background', gradient(child(node, 'background')) || colour(text(node, 'backgroundColor'))),
    rule('border', border(node)),
    rule('border-radius', length(text(node, 'cornerRadius'))),
    rule('width', length(text(node, 'width'))),
    rule('height', length(text(node, 'height'))),
    rule('max-width', length(text(node, 'maxWidth'))),
    rule('max-height', length(text(node, 'maxHeight'))),
    rule('padding', length(text(node, 'paddingAll'))),
    rule('padding-top', length(text(node, 'paddingTop'))),
    rule('padding-bottom', length(text(node, 'paddingBottom'))),
    rule('padding-left', length(text(node, 'paddingStart'))),
    rule('padding-right', length(text(node, 'paddingEnd'))),
    rule('justify-content', arranged('justifyContent')),
    rule('align-items', arranged('alignItems')),
  )
}

export function textStyle(node: Drawn, layout: string): string {
  const decoration = text(node, 'decoration')
  return joined(
    layout ? share(node, layout) : '',
    rule('font-size', length(text(node, 'size'), SIZES)),
    rule('color', colour(text(node, 'color'))),
    text(node, 'weight') === 'bold' ? 'font-weight:bold' : '',
    text(node, 'style') === 'italic' ? 'font-style:italic' : '',
    ['underline', 'line-through'].includes(decoration) ? `text-decoration:${decoration}` : '',
    rule('text-align', ALIGNS[text(node, 'align')] ?? ''),
  )
}

function border(node: Drawn): string {
  const width = length(text(node, 'borderWidth'), BORDERS)
  return width && `${width} solid ${colour(text(node, 'borderColor')) || '#0002'}`
}

function gradient(node: Drawn | undefined): string {
  const angle = text(node, 'angle')
  const stops = [text(node, 'startColor'), text(node, 'centerColor'), text(node, 'endColor')].filter(colour)
  return /^\d+(\.\d+)?deg$/.test(angle) && stops.length > 1
    ? `linear-gradient(${angle},${stops.join(',')})`
    : ''
}
