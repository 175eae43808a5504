import type { TSchema } from 'typebox'

export type SchemaProblem = { keyword: string; instancePath: string; params?: unknown; message: string }

type Facts = {
  type?: string
  description?: string
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  const?: unknown
  anyOf?: readonly Facts[]
  enum?: readonly unknown[]
  items?: Facts
  properties?: Record<string, Facts>
}

/** Names the first fault for a person, as in `lat: expected a number between -90 and 90`. */
export function sentenceOf(schema: TSchema, problems: readonly SchemaProblem[]): string {
  const [first] = problems
  if (!first) return 'The request does not have the expected form.'
  const steps = first.instancePath.split('/').filter(Boolean)
  if (first.keyword === 'required') {
    const missing = (first.params as { requiredProperties?: string[] } | undefined)?.requiredProperties?.[0]
    if (missing) steps.push(missing)
  }
  const expected = `expected ${expectationOf(factsAt(schema as Facts, steps))}`
  return steps.length === 0 ? `the body: ${expected}` : `${fieldName(steps)}: ${expected}`
}

const fieldName = (steps: readonly string[]): string =>
  steps.map((step, index) => (/^\d+$/.test(step) ? `[${step}]` : index === 0 ? step : `.${step}`)).join('')

function factsAt(schema: Facts, steps: readonly string[]): Facts {
  let facts: Facts | undefined = schema
  for (const step of steps)
    facts = /^\d+$/.test(step) && facts?.items ? facts.items : facts?.properties?.[step]
  return facts ?? {}
}

const ARTICLE: Record<string, string> = {
  string: 'a text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
}

function expectationOf(facts: Facts): string {
  // By convention a description of an input reads on after "expected".
  if (facts.description) return facts.description
  if (facts.anyOf) return [...new Set(facts.anyOf.map(expectationOf))].join(' or ')
  if (facts.enum) return facts.enum.map(String).join(' or ')
  if (facts.const !== undefined) return JSON.stringify(facts.const)
  const base = ARTICLE[facts.type ?? ''] ?? 'another value'
  return `${base}${boundsOf(facts)}`
}

function boundsOf(facts: Facts): string {
  const between = (least: number | undefined, most: number | undefined, unit: string): string => {
    if (least !== undefined && most !== undefined)
      return ` ${unit === '' ? 'between' : 'of'} ${least} ${unit === '' ? 'and' : 'to'} ${most}${unit}`
    if (least !== undefined) return ` of at least ${least}${unit}`
    if (most !== undefined) return ` of at most ${most}${unit}`
    return ''
  }
  if (facts.type === 'string') return between(facts.minLength, facts.maxLength, ' characters')
  if (facts.type === 'array') return between(facts.minItems, facts.maxItems, ' items')
  return between(facts.minimum, facts.maximum, '')
}
