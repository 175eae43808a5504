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

/** A typebox schema as a route's `body`: raw ones fail in Elysia 1.4. @throws ApiError naming the field */
export const body = <S extends TSchema>(schema: S): StandardSchema<Static<S>> =>
  wrap(schema, (value) => value ?? {})

/** As `body`; fields that the schema does not know are dropped. */
export const knownBody = <S extends TSchema>(schema: S): StandardSchema<Static<S>> =>
  wrap(schema, (value) => Value.Clean(schema, value ?? {}))

/** As `body`, for `query` and `params`, whose values arrive as text and are converted first. */
export const text = <S extends TSchema>(schema: S): StandardSchema<Static<S>> =>
  wrap(schema, (value) => converted(schema, withoutLists(value)))

/** Convert makes 1 of `1.5` and `true` where an integer is wanted: only numerals of one are converted. */
function converted(schema: TSchema, raw: Record<string, unknown>): unknown {
  const values = Value.Convert(schema, { ...raw })
  if (typeof values !== 'object' || values === null) return values
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'number' && Number(raw[name]) !== value ? raw[name] : value,
    ]),
  )
}

/** Elysia 1.4.30 splits query values at commas where there is a Standard Schema; no query of ours is a list. */
const withoutLists = (value: unknown): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(typeof value === 'object' && value ? value : {}).map(([name, raw]) => [
      name,
      Array.isArray(raw) ? raw.join(',') : raw,
    ]),
  )
