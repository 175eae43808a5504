import { type Fault, faultsOf, type Resolve } from './faults.ts'
import { messageSchemas } from './grammar.ts'
import type { Schema } from './schema.ts'
import type { Validated } from './types.ts'

export type Validation<T> = { value: T } | { faults: Fault[] }
export type Validate = <N extends keyof Validated>(name: N, value: unknown) => Validation<Validated[N]>

const SCHEMA_OF: Partial<Record<keyof Validated, string>> = {
  Messages: '#/$defs/ValidateMessageRequest/properties/messages',
  Action: '#/$defs/Action@flex',
}

/**
 * Validates as LINE does, as far as its OpenAPI document and its reference say it. `strict` refuses unknown fields and
 * malformed styles besides, which LINE may have added since. Schemas are made when they are first needed.
 */
export function lineValidator({ strict }: { strict: boolean }): Validate {
  let schemas: Schema | undefined
  const resolve: Resolve = (reference) => {
    schemas ??= { $defs: messageSchemas({ strict }) }
    return at(schemas, reference)
  }
  return <N extends keyof Validated>(name: N, value: unknown) => {
    const path = name === 'Messages' ? ['messages'] : []
    const faults = faultsOf({ $ref: SCHEMA_OF[name] ?? `#/$defs/${name}` }, { value, path, resolve })
    return fits<Validated[N]>(value, faults) ? { value } : { faults }
  }
}

/** The schemas are those of the types. */
const fits = <T>(value: unknown, faults: readonly Fault[]): value is T =>
  value !== undefined && faults.length === 0

/** @throws Error for a reference that leads nowhere: a mistake in the tables */
function at(schemas: Schema, reference: string): Schema {
  const [, set, name = '', properties, property = ''] = reference.split('/')
  const found = set === '$defs' ? schemas.$defs?.[name] : undefined
  const schema = properties === 'properties' ? found?.properties?.[property] : found
  if (!schema) throw new Error(`${reference} leads nowhere`)
  return schema
}
