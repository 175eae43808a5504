/** Optional fields of requests: null means the same as left out. */
import Type, { type TSchema } from 'typebox'

/** The schema or null. Phones send null for a sensor that they do not have. */
export function Nullable<Schema extends TSchema>(schema: Schema, description?: string) {
  return Type.Union([schema, Type.Null()], description === undefined ? {} : { description })
}

/** A request's field that may be left out; null is treated as left out. */
export function OptionalField<Schema extends TSchema>(schema: Schema, description?: string) {
  return Type.Optional(Nullable(schema, description))
}
