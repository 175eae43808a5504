import { type SchemaProblem, sentenceOf } from '@palanquin/service/http/sentence'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'

/** Judges a value that stands at `path` of the body; a sentence that names what is wrong, or null. */
export type Judge = (value: unknown, path: string) => string | null

type Fields = Readonly<Record<string, unknown>>
export const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}

/** The form that a schema describes. */
export function shaped(schema: TSchema): Judge {
  const checked = Compile(schema)
  return (value, path) => {
    if (checked.Check(value)) return null
    const sentence = sentenceOf(schema, checked.Errors(value) as readonly SchemaProblem[])
    if (sentence.startsWith('the body:')) return sentence.replace('the body', path)
    return sentence.startsWith('[') ? `${path}${sentence}` : `${path}.${sentence}`
  }
}

/** All of these; the first fault counts. */
export const all =
  (...judges: readonly Judge[]): Judge =>
  (value, path) => {
    for (const judge of judges) {
      const sentence = judge(value, path)
      if (sentence !== null) return sentence
    }
    return null
  }

/** The property `by` says which judge it is. */
export const variants =
  (kinds: () => Readonly<Record<string, Judge>>, by = 'type'): Judge =>
  (value, path) => {
    const known = kinds()
    const kind = fieldsOf(value)[by]
    const judge = typeof kind === 'string' && Object.hasOwn(known, kind) ? known[kind] : undefined
    return judge ? judge(value, path) : `${path}.${by}: expected ${Object.keys(known).join(', ')}`
  }

/** A property that may be left out. */
export const maybe =
  (name: string, judge: Judge): Judge =>
  (value, path) => {
    const field = fieldsOf(value)[name]
    return field === undefined ? null : judge(field, `${path}.${name}`)
  }

/** Every item of a list, of which there are so many. */
export const each =
  (judge: Judge, { min = 0, max = Number.POSITIVE_INFINITY } = {}): Judge =>
  (value, path) => {
    if (!Array.isArray(value) || value.length < min || value.length > max)
      return `${path}: expected a list of ${howMany(min, max)} items`
    const items: unknown[] = value
    for (const [index, item] of items.entries()) {
      const sentence = judge(item, `${path}[${index}]`)
      if (sentence !== null) return sentence
    }
    return null
  }

/** A rule that a schema cannot say. */
export const rule =
  (holds: (fields: Fields) => boolean, expected: string): Judge =>
  (value, path) =>
    holds(fieldsOf(value)) ? null : `${path}: expected ${expected}`

const howMany = (min: number, max: number): string => {
  if (min === max) return String(min)
  return max === Number.POSITIVE_INFINITY ? `at least ${min}` : `${min} to ${max}`
}
