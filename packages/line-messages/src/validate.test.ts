import { describe, expect, test } from 'bun:test'
import { Ajv } from 'ajv'
import refused from '../test/refused.json'
import { dotted } from './faults.ts'
import { formatProblem } from './formats.ts'
import { messageSchemas } from './grammar.ts'
import { TEXT_UNITS_MAX } from './limits.ts'
import { lineValidator } from './validate.ts'

const lenient = lineValidator({ strict: false })
const strict = lineValidator({ strict: true })
const text = (words: string) => [{ type: 'text', text: words }]
const flex = (...contents: object[]) => [
  {
    type: 'flex',
    altText: 'a',
    contents: { type: 'bubble', body: { type: 'box', layout: 'vertical', contents } },
  },
]

const sentenceOf = (messages: unknown): string | null => {
  const validation = lenient('Messages', messages)
  const [first] = 'faults' in validation ? validation.faults : []
  return first ? `${dotted(first.path)}: expected ${first.expected}` : null
}

test.each(refused)('an organiser reads what is wrong: $name', ({ messages, sentence }) => {
  expect(sentenceOf(messages)).toBe(sentence)
  expect(strict('Messages', messages)).toHaveProperty('faults')
})

test('a text is measured in UTF-16 units, of which an emoji is two', () => {
  expect(sentenceOf(text('👵'.repeat(TEXT_UNITS_MAX / 2)))).toBeNull()
  expect(sentenceOf(text('👵'.repeat(TEXT_UNITS_MAX / 2 + 1)))).toBe(
    'messages[0].text: expected a text of 1 to 5000 characters',
  )
})

test('a bubble and a carousel have at most 30 and 50 KB of JSON', () => {
  const words = (count: number) =>
    Array.from({ length: count }, () => ({ type: 'text', text: '媽'.repeat(600) }))
  const bubble = (count: number) => ({
    type: 'bubble',
    body: { type: 'box', layout: 'vertical', contents: words(count) },
  })
  const carousel = (count: number) => [
    {
      type: 'flex',
      altText: 'a',
      contents: { type: 'carousel', contents: Array.from({ length: count }, () => bubble(5)) },
    },
  ]
  expect(sentenceOf(flex(...words(16)))).toBeNull()
  expect(sentenceOf(flex(...words(17)))).toBe('messages[0].contents: expected at most 30 KB of JSON')
  expect(sentenceOf(carousel(5))).toBeNull()
  expect(sentenceOf(carousel(6))).toBe('messages[0].contents: expected at most 50 KB of JSON')
})

test('boxes in boxes are validated once each, however deep', () => {
  const deep = (levels: number): object =>
    levels === 0
      ? { type: 'text', text: '' }
      : { type: 'box', layout: 'vertical', contents: [deep(levels - 1)] }
  expect(strict('Messages', flex(deep(40)))).toMatchObject({ faults: { length: 1 } })
})

test('what LINE may have added since is let through, unless it is to be as strict as LINE', () => {
  const messages = [
    { ...text('a')[0], effect: 'sparkle' },
    ...flex({ type: 'text', text: 'a', size: 'huge' }),
  ]
  expect(lenient('Messages', messages)).toEqual({ value: messages } as never)
  expect(strict('Messages', messages)).toMatchObject({
    faults: [{ message: 'unknown field' }, { message: 'invalid property' }],
  })
})

test('anything at all is validated without an exception', () => {
  for (const messages of [
    null,
    undefined,
    'text',
    5,
    {},
    [null],
    [[]],
    [{ type: 'constructor' }],
    [{ type: 'flex', contents: [] }],
  ])
    expect(strict('Messages', messages)).toHaveProperty('faults')
})

describe.each([true, false])('strict: %p', (isStrict) => {
  const validate = isStrict ? strict : lenient
  const ajv = new Ajv({ discriminator: true, strict: false, formats: formats() })
  // JSON Schema counts characters, LINE counts UTF-16 units.
  ajv.removeKeyword('maxLength')
  ajv.addKeyword({
    keyword: 'maxLength',
    validate: (max: number, value: unknown) => String(value).length <= max,
  })
  const defs = Object.entries(messageSchemas({ strict: isStrict })).map(([name, schema]) => [
    name,
    schema.kinds ? { ...schema, discriminator: { propertyName: 'type' } } : schema,
  ])
  const known = ajv.compile({
    $defs: Object.fromEntries(defs),
    $ref: '#/$defs/ValidateMessageRequest/properties/messages',
  })

  test('ajv finds a fault in a message wherever this validator does, but for the rules that a schema cannot say', () => {
    const disagreements = refused.filter(({ messages }) => {
      const validation = validate('Messages', messages)
      const isFaulty = 'faults' in validation
      const isRule =
        isFaulty && validation.faults.every(({ path, message }) => isOfRule(path, message, messages))
      return !isRule && isFaulty === known(messages)
    })
    expect(disagreements.map(({ name }) => name)).toEqual([])
  })
})

/** Rules name an object as a whole. */
function isOfRule(path: readonly (string | number)[], message: string, messages: unknown): boolean {
  const value = path.slice(1).reduce<unknown>((at, step) => Object(at)[step], messages)
  return typeof value === 'object' && !/^(invalid type|Size)/.test(message)
}

function formats() {
  const names = ['media-url', 'link', 'angle', 'aspect-ratio']
  return Object.fromEntries(
    names.map((name) => [name, (value: string) => formatProblem(name, value) === undefined]),
  )
}
