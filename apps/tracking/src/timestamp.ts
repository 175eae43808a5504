import Type from 'typebox'

/** A `timestamptz` as the client of PostgreSQL gives it, for the schemas of rows. */
export const Timestamp = Type.Refine(Type.Unsafe<Date>({}), (value) => value instanceof Date)
