import type { TSchema } from 'typebox'

/** What is wrong with one property, as LINE tells it. */
export type Detail = { message: string; property: string }
type Step = string | number
/** A fault, with the way to it from the judged value. */
export type Fault = { message: string; path: Step[] }

/**
 * A typebox schema as this judge reads it: JSON Schema, and beside it `variants` (a union that one
 * property decides, as strictly as LINE does) and `rule` (a sentence where a value of the right shape is refused all
 * the same; it is asked only where nothing else is wrong).
 */
type Node = {
  type?: string
  properties?: Record<string, Node>
  required?: string[]
  items?: Node
  minItems?: number
  maxItems?: number
  minLength?: number
  maxLength?: number
  pattern?: string
  apiError?: string
  enum?: unknown[]
  minimum?: number
  maximum?: number
  variants?: () => Record<string, TSchema>
  by?: string
  rule?: (value: unknown) => string | undefined
}

/** Every fault of a value, in the order of the schema; none when LINE would take it. Lengths are UTF-16 code units. */
export const faultsOf = (schema: TSchema, value: unknown): Fault[] => visit(schema, value, [])

/** The same with the place written as in `messages[0].text`; `at` stands in front. */
export const judge = (schema: TSchema, value: unknown, at = ''): Detail[] =>
  faultsOf(schema, value).map(({ message, path }) => ({ message, property: dotted(path, at) }))

/** `['messages', 0, 'text']` → `messages[0].text`. */
export const dotted = (path: readonly Step[], at = ''): string =>
  path.reduce<string>(
    (text, step) => (typeof step === 'number' ? `${text}[${step}]` : text ? `${text}.${step}` : step),
    at,
  )

/** `['body', 'contents', 0]` → `/body/contents/0`, as LINE writes a place inside a Flex container. */
export const pointer = (path: readonly Step[]): string => `/${path.join('/')}`

function visit(node: Node, value: unknown, path: Step[]): Fault[] {
  const apiError = (message: string): Fault[] => [{ message, path }]
  if (node.variants) return visitVariant({ by: node.by ?? 'type', variants: node.variants() }, value, path)
  if (node.enum && !node.enum.includes(value)) return apiError(oneOf(node.enum))
  if (node.type && !isOf(node.type, value)) return apiError(`invalid type: expected ${article(node.type)}`)
  const faults = Array.isArray(value)
    ? faultsOfArray(node, value, path)
    : isRecord(value) && node.properties
      ? faultsOfObject(node, value, path)
      : apiError(faultOfScalar(node, value) ?? '').filter(({ message }) => message !== '')
  const sentence = faults.length === 0 ? node.rule?.(value) : undefined
  return sentence ? apiError(sentence) : faults
}

function visitVariant(
  { by, variants }: { by: string; variants: Record<string, TSchema> },
  value: unknown,
  path: Step[],
): Fault[] {
  if (!isRecord(value)) return [{ message: 'invalid type: expected an object', path }]
  const name = value[by]
  const chosen = typeof name === 'string' && Object.hasOwn(variants, name) && variants[name]
  if (chosen) return visit(chosen, value, path)
  const message = name === undefined ? 'must be specified' : oneOf(Object.keys(variants))
  return [{ message, path: [...path, by] }]
}

function faultOfScalar(node: Node, value: unknown): string | undefined {
  if (typeof value === 'number') {
    const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = node
    return value < minimum || value > maximum ? `Must be between ${minimum} and ${maximum}` : undefined
  }
  if (typeof value !== 'string') return undefined
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = node
  if (minLength > 0 && value.length === 0) return 'May not be empty'
  if (value.length < minLength || value.length > maxLength)
    return `Length must be between ${minLength} and ${maxLength}`
  const matches = node.pattern === undefined || new RegExp(node.pattern, 'u').test(value)
  return matches ? undefined : (node.apiError ?? 'invalid property')
}

function faultsOfArray(node: Node, value: unknown[], path: Step[]): Fault[] {
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY, items } = node
  if (value.length < minItems || value.length > maxItems)
    return [{ message: `Size must be between ${minItems} and ${maxItems}`, path }]
  return items ? value.flatMap((item, index) => visit(items, item, [...path, index])) : []
}

function faultsOfObject(node: Node, value: Record<string, unknown>, path: Step[]): Fault[] {
  const { properties = {}, required = [] } = node
  const known = Object.entries(properties).flatMap(([name, child]): Fault[] => {
    const at = [...path, name]
    if (value[name] !== undefined) return visit(child, value[name], at)
    const message = child.type === 'string' ? 'May not be empty' : 'must be specified'
    return required.includes(name) ? [{ message, path: at }] : []
  })
  const unknown = Object.keys(value)
    .filter((name) => !Object.hasOwn(properties, name))
    .map((name) => ({ message: 'unknown field', path: [...path, name] }))
  return [...known, ...unknown]
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function isOf(type: string, value: unknown): boolean {
  if (type === 'object') return isRecord(value)
  if (type === 'array') return Array.isArray(value)
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'number') return typeof value === 'number' && Number.isFinite(value)
  return typeof value === type
}

const oneOf = (values: unknown[]): string => `Must be one of the following values: [${values.join(', ')}]`
const article = (type: string): string => (/^[aio]/.test(type) ? `an ${type}` : `a ${type}`)
