import Type, { type Static, type TObject, type TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'

/** A timestamptz in a row of raw SQL. */
export const Timestamp = Type.Refine(
  Type.Unsafe<Date>({}),
  (value) => value instanceof Date,
  () => 'must be a time',
)

export const Nullable = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()])

const validators = new WeakMap<TSchema, Validator>()

/** The rows of raw SQL as their schema has them. @throws TypeError that names no value */
export function checkRows<S extends TObject>(schema: S, rows: readonly unknown[]): Static<S>[] {
  const validator = validators.get(schema) ?? Compile(schema)
  validators.set(schema, validator)
  return rows.map((row) => {
    if (fits(validator, schema, row)) return row
    const problems = validator.Errors(row).map(({ instancePath, message }) => `${instancePath} ${message}`)
    throw new TypeError(`a row does not fit its schema: ${problems.join('; ')}`)
  })
}

const fits = <S extends TSchema>(validator: Validator, _schema: S, row: unknown): row is Static<S> =>
  validator.Check(row)
