import fc from 'fast-check'

/** The part of JSON Schema that the API document uses. */
type JsonSchema = {
  readonly type?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>
  readonly items?: JsonSchema
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
}

/** More elements than a test needs say nothing new. */
const ITEMS_MAX = 5
const CHARACTERS_MAX = 40
const NUMBER_MAX = 1_000_000

/** Values that have broken services: wrong kinds, borders. */
const WILD: readonly unknown[] = [
  null,
  true,
  '',
  ' ',
  0,
  -1,
  1.5,
  -0,
  1e308,
  2 ** 53,
  '0',
  '-1',
  'NaN',
  'null',
  [],
  {},
  [[]],
  [null],
  { a: { b: { c: { d: {} } } } },
  '\u0000',
  'a\u0007b',
  '\ud800',
  '\u202Etxt.exe',
  '%',
  "'; DROP TABLE x; --",
  '=1+1',
  '../../etc/passwd',
  '%2e%2e%2f',
  '𠮷媽祖🚶🏽‍♀️',
  'x'.repeat(5_000),
  { __proto__: null, constructor: 'x' },
  '2026-02-30T25:61:00Z',
  '99999-01-01T00:00:00Z',
  -8.64e15,
  9e15,
]

/** Values of the shape that a schema describes. */
export function anyFitting(schema: JsonSchema): fc.Arbitrary<unknown> {
  if ('const' in schema) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return fc.oneof(...choices.map(anyFitting))
  switch (schema.type) {
    case 'string':
      return anyText(schema)
    case 'integer':
      return fc.integer(boundsOf(schema))
    case 'number':
      return fc.double({ ...boundsOf(schema), noNaN: true })
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'array':
      return fc.array(schema.items ? anyFitting(schema.items) : fc.jsonValue(), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.max(schema.minItems ?? 0, Math.min(schema.maxItems ?? ITEMS_MAX, ITEMS_MAX)),
      })
    case 'object':
      return anyObject(schema)
    default:
      return fc.jsonValue({ maxDepth: 3 })
  }
}

/** Values of that shape in which one thing, or everything, is wild. */
export function anyBroken(schema: JsonSchema): fc.Arbitrary<unknown> {
  const wild = fc.constantFrom(...WILD)
  const { properties } = schema
  if (!properties || Object.keys(properties).length === 0) return wild
  const withOneWild = fc
    .tuple(anyFitting(schema), fc.constantFrom(...Object.keys(properties)), wild)
    .map(([value, name, broken]) => ({ ...(isObject(value) ? value : {}), [name]: broken }))
  return fc.oneof({ weight: 5, arbitrary: withOneWild }, { weight: 1, arbitrary: wild })
}

function anyText({ pattern, minLength = 0, maxLength = CHARACTERS_MAX }: JsonSchema): fc.Arbitrary<string> {
  if (pattern !== undefined)
    return fc.stringMatching(new RegExp(pattern)).filter((text) => text.length >= minLength)
  return fc.string({
    unit: 'grapheme',
    minLength,
    maxLength: Math.min(maxLength, CHARACTERS_MAX + minLength),
  })
}

const boundsOf = ({ minimum, maximum }: JsonSchema): { min: number; max: number } => ({
  min: minimum ?? -NUMBER_MAX,
  max: maximum ?? Math.max(NUMBER_MAX, minimum ?? 0),
})

function anyObject({ properties = {}, required = [], patternProperties }: JsonSchema): fc.Arbitrary<unknown> {
  const named = fc.record(
    Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, anyFitting(property)])),
    { requiredKeys: required.filter((name) => name in properties) },
  )
  const [free] = Object.values(patternProperties ?? {})
  if (!free) return named
  const more = fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), anyFitting(free), { maxKeys: ITEMS_MAX })
  return fc.tuple(more, named).map(([some, others]) => ({ ...some, ...others }))
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
