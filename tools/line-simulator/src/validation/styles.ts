import type { Schema } from './schema.ts'

const NUMBER = '[0-9]+(\\.[0-9]+)?'
const GAPS = ['none', 'xs', 'sm', 'md', 'lg', 'xl', 'xxl']
const SIZES = ['xxs', 'xs', 'sm', 'md', 'lg', 'xl', 'xxl', '3xl', '4xl', '5xl']
const measure = (units: readonly ('px' | '%')[], words: readonly string[] = []): Schema => ({
  pattern: `^(${[`${NUMBER}(${units.join('|')})`, ...words].join('|')})$`,
})

const colour: Schema = { pattern: '^#[0-9A-Fa-f]{6}([0-9A-Fa-f]{2})?$' }
const gap = measure(['px'], GAPS)
const inset = measure(['px', '%'], GAPS)
const extent = measure(['px', '%'])

/** What LINE takes for a style, by the name of the property (reference, "Flex Message": units and words). */
const STYLES: Readonly<Record<string, Schema>> = {
  ...Object.fromEntries(
    ['color', 'backgroundColor', 'borderColor', 'separatorColor', 'imageBackgroundColor']
      .concat('startColor', 'endColor', 'centerColor')
      .map((name) => [name, colour]),
  ),
  ...Object.fromEntries(
    ['offsetTop', 'offsetBottom', 'offsetStart', 'offsetEnd', 'paddingAll', 'paddingTop']
      .concat('paddingBottom', 'paddingStart', 'paddingEnd')
      .map((name) => [name, inset]),
  ),
  ...Object.fromEntries(['width', 'maxWidth', 'height', 'maxHeight'].map((name) => [name, extent])),
  margin: gap,
  spacing: gap,
  cornerRadius: gap,
  borderWidth: measure(['px'], ['none', 'light', 'normal', 'medium', 'semi-bold', 'bold']),
  size: measure(['px'], SIZES),
  lineSpacing: measure(['px']),
  centerPosition: measure(['%']),
  aspectRatio: { format: 'aspect-ratio' },
  angle: { format: 'angle' },
}
const IMAGE_SIZE = measure(['px', '%'], [...SIZES, 'full'])

/** The style that a property of an object is, where the document says no more than that it is a text. */
export function styleOf(object: string, name: string, schema: Schema): Schema {
  if (name === 'flex' && schema.type === 'integer') return { minimum: 0 }
  if (schema.type !== 'string' || schema.enum) return {}
  if (object === 'FlexImage' && name === 'size') return IMAGE_SIZE
  return STYLES[name] ?? {}
}
