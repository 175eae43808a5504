import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import Value from 'typebox/value'
import { ApiError } from './api-error.ts'
import { type SchemaProblem, sentenceOf } from './sentence.ts'

/** The part of the Standard Schema interface (standardschema.dev, v1) that Elysia calls. */
export type StandardSchema<T> = {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => { value: T }
    readonly types?: { readonly input: T; readonly output: T }
    readonly jsonSchema: { input: () => TSchema; output: () => TSchema }
  }
}

function wrap<S extends TSchema>(schema: S, prepare: (value: unknown) => unknown): StandardSchema<Static<S>> {
  const validator = Compile(schema)
  return {
    '~standard': {
      version: 1,
      vendor: 'typebox',
      validate: (input) => {
        const value = prepare(input)
        if (validator.Check(value)) return { value }
        throw new ApiError('invalid', sentenceOf(schema, validator.Errors(value) as readonly SchemaProblem[]))
      },
      jsonSchema: { input: () => schema, output: () => schema },
    },
  }
}

/**
 * A typebox 1.x schema as a route's `body`: raw typebox schemas fail in Elysia 1.4 at the first request.
 * What does not fit is thrown as an ApiError that names the field (400).
 */
export const body = <S extends TSchema>(schema: S): StandardSchema<Static<S>> =>
  wrap(schema, (value) => value ?? {})

/** The same for what is kept or shown as it was sent: fields that the schema does not know are dropped, at every depth. */
export const knownBody = <S extends TSchema>(schema: S): StandardSchema<Static<S>> =>
  wrap(schema, (value) => Value.Clean(schema, value ?? {}))

/** The same for `query` and `params`, whose values arrive as text and are converted first. */
export const text = <S extends TSchema>(schema: S): StandardSchema<Static<S>> =>
  wrap(schema, (value) => converted(schema, withoutLists(value)))

/** Convert makes 1 of `1.5` and of `true` where a whole number is wanted: what is no such numeral stays text, and is refused. */
function converted(schema: TSchema, given: Record<string, unknown>): unknown {
  const values = Value.Convert(schema, { ...given })
  if (typeof values !== 'object' || values === null) return values
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'number' && Number(given[name]) !== value ? given[name] : value,
    ]),
  )
}

/**
 * Elysia cuts a query value at its commas as soon as the route has a Standard Schema (1.4.30, parseQueryStandardSchema):
 * `bbox=1,2,3,4` arrives as a list. No query of ours is a list, so lists are put together again.
 */
const withoutLists = (value: unknown): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(typeof value === 'object' && value ? value : {}).map(([name, given]) => [
      name,
      Array.isArray(given) ? given.join(',') : given,
    ]),
  )
