import Type, { type Static } from 'typebox'
import Value from 'typebox/value'

const Content = Type.Record(
  Type.String(),
  Type.Object({ schema: Type.Optional(Type.Unknown()), example: Type.Optional(Type.Unknown()) }),
)
export type Content = Static<typeof Content>
const Header = Type.Object({ required: Type.Optional(Type.Boolean()), schema: Type.Unknown() })
const Operation = Type.Object({
  security: Type.Optional(Type.Array(Type.Record(Type.String(), Type.Array(Type.String())))),
  parameters: Type.Optional(
    Type.Array(
      Type.Object({
        name: Type.String(),
        in: Type.String(),
        description: Type.Optional(Type.String()),
        schema: Type.Unknown(),
      }),
    ),
  ),
  requestBody: Type.Optional(Type.Object({ content: Content })),
  responses: Type.Record(
    Type.String(),
    Type.Object({
      description: Type.String(),
      headers: Type.Optional(Type.Record(Type.String(), Header)),
      content: Type.Optional(Content),
    }),
  ),
})
export type Operation = Static<typeof Operation>
const OpenApi = Type.Object({
  openapi: Type.Literal('3.1.0'),
  paths: Type.Record(Type.String(), Type.Record(Type.String(), Operation)),
})

/** An operation of the document with all references resolved. */
export type Described = { path: string; method: string; operation: Operation }

/** The operations of a document in order. */
export function operationsOf(document: object): Described[] {
  const { paths } = Value.Parse(OpenApi, resolved(document, document))
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
}

/** Resolves every `$ref`; ours are not recursive. */
function resolved(part: unknown, document: object): unknown {
  if (Array.isArray(part)) return part.map((one) => resolved(one, document))
  if (!isObject(part)) return part
  if (typeof part.$ref === 'string') return resolved(at(document, part.$ref), document)
  return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, resolved(value, document)]))
}

function at(document: object, ref: string): unknown {
  let found: unknown = document
  for (const step of ref.split('/').slice(1)) found = isObject(found) ? found[step] : undefined
  if (found === undefined) throw new Error(`${ref} leads nowhere`)
  return found
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
