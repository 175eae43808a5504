import Ajv from 'ajv/dist/2020'
import addFormats from 'ajv-formats'
import { isObject } from './openapi.ts'

const ajv = addFormats(new Ajv({ strict: false, allErrors: false }))
const compiled = new Map<unknown, ReturnType<typeof ajv.compile>>()

/** A strict version of a schema, in which objects may have only the named fields. */
export function undescribed(value: unknown, schema: unknown): string | null {
  const known = compiled.get(schema)
  const validate = known ?? ajv.compile(closed(schema) as object)
  compiled.set(schema, validate)
  if (validate(value)) return null
  const [first] = validate.errors ?? []
  return `${first?.instancePath || '/'} ${first?.message} ${JSON.stringify(first?.params)}`
}

/** Where a schema names fields, no others are allowed. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed)
  if (!isObject(schema)) return schema
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]))
  return 'properties' in schema && !('additionalProperties' in schema)
    ? { ...inner, additionalProperties: false }
    : inner
}

/** A nested schema and its path. */
type Place = { schema: Record<string, unknown>; at: string; isProperty: boolean }

/** A schema and all nested ones. */
export function* placesIn(schema: unknown, at: string, isProperty = false): Generator<Place> {
  if (!isObject(schema)) return
  yield { schema, at, isProperty }
  for (const key of ['anyOf', 'oneOf', 'allOf'])
    for (const [index, one] of listOf(schema[key]).entries()) yield* placesIn(one, `${at}|${index}`)
  yield* placesIn(schema.items, `${at}[]`)
  for (const [name, one] of entriesOf(schema.properties)) yield* placesIn(one, `${at}.${name}`, true)
  for (const [, one] of entriesOf(schema.patternProperties)) yield* placesIn(one, `${at}{}`)
}

/** Whether a field is described: itself, or one of its alternatives. */
export const isDescribed = ({ description, anyOf }: Record<string, unknown>): boolean =>
  (typeof description === 'string' && description !== '') ||
  listOf(anyOf).some((one) => isObject(one) && isDescribed(one))

/** Whether a schema constrains its values at all. */
export const isVague = (schema: Record<string, unknown>): boolean => {
  if (schema.type === 'object')
    return !('properties' in schema || 'patternProperties' in schema || 'additionalProperties' in schema)
  if (schema.type === 'array') return !('items' in schema)
  return !['type', 'anyOf', 'oneOf', 'allOf', 'const', 'enum'].some((key) => key in schema)
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
const entriesOf = (value: unknown): [string, unknown][] => (isObject(value) ? Object.entries(value) : [])
