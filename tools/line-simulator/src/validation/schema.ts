/** JSON Schema as far as LINE's document uses it, and what `faults.ts` says of a value that does not fit. */
export type Schema = {
  $ref?: string
  type?: string
  const?: unknown
  enum?: readonly unknown[]
  $defs?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  properties?: Readonly<Record<string, Schema>>
  additionalProperties?: boolean | Schema
  items?: Schema
  allOf?: readonly Schema[]
  oneOf?: readonly Schema[]
  if?: Schema
  then?: Schema
  else?: Schema
  discriminator?: { propertyName: string; mapping?: Readonly<Record<string, string>> }
  minItems?: number
  maxItems?: number
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  multipleOf?: number
  pattern?: string
  format?: string
  default?: unknown
  /** What LINE says of an empty text, and of one that has the wrong form. */
  emptyMessage?: string
  invalidMessage?: string
  /** The name of a rule that a schema cannot say. */
  rule?: string
  /** The kinds of a `oneOf`, in order. */
  kinds?: readonly string[]
}
