import type { Static, TObject } from 'typebox'
import { type StandardSchema, text } from './standard-schema.ts'

/** Parameters of a path whose last part is such as `{userId}.png`, one parameter for a router. */
export function fileParams<S extends TObject>(schema: S, ending: string): StandardSchema<Static<S>> {
  const named = text(schema)['~standard']
  return { '~standard': { ...named, validate: (input) => named.validate(withoutEnding(input, ending)) } }
}

function withoutEnding(input: unknown, ending: string): unknown {
  if (typeof input !== 'object' || input === null) return input
  const cut = (value: string) => (value.endsWith(ending) ? value.slice(0, -ending.length) : value)
  return Object.fromEntries(Object.entries(input).map(([name, value]) => [name, cut(String(value))]))
}
