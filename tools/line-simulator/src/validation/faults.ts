import { formatProblem } from './formats.ts'
import { violationOf } from './rules.ts'
import type { Schema } from './schema.ts'

type Step = string | number
/** What is wrong with a value: where, and in LINE's words. */
export type Fault = { path: readonly Step[]; message: string }

/** Follows a `$ref`. */
export type Resolve = (reference: string) => Schema
type Place = { value: unknown; path: readonly Step[]; resolve: Resolve }

/** `['messages', 0, 'text']` → `messages[0].text`. */
export const dotted = (path: readonly Step[]): string =>
  path.reduce<string>(
    (text, step) => (typeof step === 'number' ? `${text}[${step}]` : text ? `${text}.${step}` : step),
    '',
  )

/** Every fault of a value, in the order of the schema; a rule is applied only where nothing else is wrong. */
export function faultsOf(schema: Schema, at: Place): Fault[] {
  const { value, path, resolve } = at
  if (schema.$ref !== undefined) return faultsOf(resolve(schema.$ref), at)
  if (schema.type !== undefined && !isOf(schema.type, value))
    return [{ path, message: `invalid type: expected ${article(schema.type)}` }]
  if (schema.enum && !schema.enum.includes(value)) return [{ path, message: oneOf(schema.enum) }]
  if (Array.isArray(value)) return faultsOfList(schema, value, at)
  if (isFields(value)) return faultsOfObject(schema, value, at)
  const message = typeof value === 'string' ? problemOfText(schema, value) : problemOfNumber(schema, value)
  return message === undefined ? [] : [{ path, message }]
}

function faultsOfList(schema: Schema, list: readonly unknown[], { path, resolve }: Place): Fault[] {
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY, items } = schema
  if (list.length < minItems || list.length > maxItems)
    return [{ path, message: `Size must be between ${minItems} and ${maxItems}` }]
  return items
    ? list.flatMap((value, index) => faultsOf(items, { value, path: [...path, index], resolve }))
    : []
}

function faultsOfObject(schema: Schema, fields: Fields, at: Place): Fault[] {
  const { kinds = [], oneOf: choices } = schema
  const index = choices ? kinds.indexOf(String(fields.type)) : 0
  if (index < 0) {
    const message = fields.type === undefined ? 'must be specified' : oneOf(kinds)
    return [{ path: [...at.path, 'type'], message }]
  }
  const choice = choices?.[index]
  const faults = [
    ...(choice ? faultsOf(choice, at) : []),
    ...faultsOfProperties(schema, fields, at),
    ...faultsOfUnknown(schema, fields, at),
    ...(schema.if ? faultsOf(branchOf(schema, at), at) : []),
  ]
  const refused = faults.length === 0 && schema.rule ? violationOf(schema.rule, fields) : undefined
  return refused === undefined ? faults : [{ path: at.path, message: refused }]
}

function faultsOfProperties(schema: Schema, fields: Fields, { path, resolve }: Place): Fault[] {
  const { properties = {}, required = [] } = schema
  return Object.entries(properties).flatMap(([name, property]): Fault[] => {
    const value = fields[name]
    if (value !== undefined) return faultsOf(property, { value, path: [...path, name], resolve })
    if (!required.includes(name)) return []
    const isText = property.type === 'string' && !property.enum
    return [{ path: [...path, name], message: isText ? 'May not be empty' : 'must be specified' }]
  })
}

function faultsOfUnknown(schema: Schema, fields: Fields, { path, resolve }: Place): Fault[] {
  const { properties = {}, additionalProperties: others = true } = schema
  if (others === true) return []
  const unknown = Object.entries(fields).filter(([name]) => !Object.hasOwn(properties, name))
  return unknown.flatMap(([name, value]) =>
    others === false
      ? [{ path: [...path, name], message: 'unknown field' }]
      : faultsOf(others, { value, path: [...path, name], resolve }),
  )
}

const branchOf = ({ if: condition = {}, then: yes = {}, else: no = {} }: Schema, at: Place): Schema =>
  Object.entries(condition.properties ?? {}).every(
    ([name, { const: expected }]) => isFields(at.value) && at.value[name] === expected,
  )
    ? yes
    : no

function problemOfText(schema: Schema, text: string): string | undefined {
  // LINE counts UTF-16 units.
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, format, pattern } = schema
  if (minLength > 0 && text === '') return schema.emptyMessage ?? 'May not be empty'
  if (text.length < minLength || text.length > maxLength)
    return `Length must be between ${minLength} and ${maxLength}`
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(text))
    return schema.invalidMessage ?? 'invalid property'
  return format === undefined ? undefined : formatProblem(format, text)
}

function problemOfNumber(schema: Schema, value: unknown): string | undefined {
  if (typeof value !== 'number') return undefined
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY, multipleOf = 0 } = schema
  if (value < minimum || value > maximum) return `Must be between ${minimum} and ${maximum}`
  return multipleOf > 0 && value % multipleOf !== 0 ? `must be a multiple of ${multipleOf}` : undefined
}

type Fields = Readonly<Record<string, unknown>>
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function isOf(type: string, value: unknown): boolean {
  if (type === 'object') return isFields(value)
  if (type === 'array') return Array.isArray(value)
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'number') return typeof value === 'number' && Number.isFinite(value)
  return typeof value === type
}

const oneOf = (values: readonly unknown[]): string =>
  `Must be one of the following values: [${values.join(', ')}]`
const article = (type: string): string => (/^[aio]/.test(type) ? `an ${type}` : `a ${type}`)
