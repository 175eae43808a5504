import Type, { type TSchema } from 'typebox'
import type { ApiErrorCode } from './api-error.ts'
import { apiErrorsOf } from './openapi-errors.ts'
import { type HeaderName, headersOf } from './openapi-headers.ts'

/** The part of an OpenAPI 3.1 document that one service knows: its paths, without the public prefix. */
export type OpenApiPart = { paths: Record<string, Record<string, Operation>> }

export type Operation = {
  summary: string
  description?: string
  tags?: string[]
  parameters?: Parameter[]
  requestBody?: { required: true; content: Record<string, { schema: unknown; example?: unknown }> }
  responses: Record<string, ResponseObject>
}

export type ResponseObject = {
  description: string
  headers?: Record<string, { $ref: string }>
  content?: Record<string, { schema?: unknown; example?: unknown }>
}

type Parameter = {
  name: string
  in: 'path' | 'query'
  required: boolean
  description?: string
  schema: unknown
}

/** What a route says of itself beside its `body`, `query` and `params`. */
export type Description = {
  summary: string
  description?: string
  tags?: string[]
  example?: unknown
  /** The request body as a reader should know it, where the verb judges parts of it itself. */
  body?: TSchema
  /** The request body by media type, for a route that reads it itself instead of having a `body`. */
  bodies?: Record<string, { schema: TSchema; example?: unknown }>
  /** Status → the schema of `data`, or other media types as `media`. */
  answers?: Record<
    number,
    {
      description: string
      data?: TSchema
      example?: unknown
      media?: Record<string, TSchema>
      /** Besides those that the gateway adds to every answer. */
      headers?: readonly HeaderName[]
    }
  >
  /** Which errors of the table this route can give, besides those of the gateway. */
  apiErrors?: readonly ApiErrorCode[]
}

/** Makes a route's `detail` for Elysia out of a Description; `openApiPart` reads it back. */
export const describe = (description: Description) => ({
  summary: description.summary,
  'x-palanquin': description,
})

/** Builds the part from Elysia's own list of routes, so that no route can be missing from it. */
export function openApiPart(
  routes: readonly { method: string; path: string; hooks?: unknown }[],
): OpenApiPart {
  const paths: OpenApiPart['paths'] = {}
  for (const { method, path, hooks } of routes) {
    const facts = (hooks ?? {}) as {
      body?: unknown
      query?: unknown
      params?: unknown
      detail?: { hide?: boolean; 'x-palanquin'?: Description }
    }
    const said = facts.detail?.['x-palanquin']
    if (facts.detail?.hide || !said) continue
    const publicPath = path.replace(/:([A-Za-z]+)/g, '{$1}')
    paths[publicPath] ??= {}
    paths[publicPath][method.toLowerCase()] = operation(said, facts)
  }
  return { paths }
}

function operation(
  said: Description,
  facts: { body?: unknown; query?: unknown; params?: unknown },
): Operation {
  const parameters = [...parametersOf(facts.params, 'path'), ...parametersOf(facts.query, 'query')]
  const bodySchema = said.body ?? schemaOf(facts.body)
  const bodies: NonNullable<Operation['requestBody']>['content'] = { ...said.bodies }
  if (bodySchema)
    bodies['application/json'] = {
      schema: bodySchema,
      ...(said.example === undefined ? {} : { example: said.example }),
    }
  return {
    summary: said.summary,
    ...(said.description ? { description: said.description } : {}),
    ...(said.tags ? { tags: said.tags } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(Object.keys(bodies).length > 0 ? { requestBody: { required: true, content: bodies } } : {}),
    responses: { ...answersOf(said), ...apiErrorsOf(said.apiErrors ?? []) },
  }
}

function answersOf(said: Description): Operation['responses'] {
  const responses: Operation['responses'] = {}
  for (const [status, answer] of Object.entries(said.answers ?? { 200: { description: 'done' } })) {
    const content: Record<string, { schema?: unknown; example?: unknown }> = {}
    if (answer.data)
      content['application/json'] = {
        schema: Type.Object({
          ok: Type.Literal(true, { description: 'it is done' }),
          data: { ...answer.data, description: describedAs(answer.data) ?? answer.description },
        }),
        ...(answer.example === undefined ? {} : { example: { ok: true, data: answer.example } }),
      }
    // Without `data` the example is of the other media type.
    const own = answer.data || answer.example === undefined ? {} : { example: answer.example }
    for (const [type, schema] of Object.entries(answer.media ?? {})) content[type] = { schema, ...own }
    responses[status] = {
      description: answer.description,
      ...(answer.headers ? { headers: headersOf(answer.headers) } : {}),
      ...(Object.keys(content).length > 0 ? { content } : {}),
    }
  }
  return responses
}

const describedAs = (schema: TSchema): string | undefined =>
  'description' in schema && typeof schema.description === 'string' ? schema.description : undefined

function schemaOf(wrapped: unknown): unknown {
  if (typeof wrapped !== 'object' || wrapped === null || !('~standard' in wrapped)) return undefined
  const standard = (wrapped as { '~standard': { jsonSchema?: { input: () => unknown } } })['~standard']
  return standard.jsonSchema?.input()
}

function parametersOf(wrapped: unknown, place: 'path' | 'query'): Parameter[] {
  const schema = schemaOf(wrapped) as
    | { properties?: Record<string, { description?: string }>; required?: string[] }
    | undefined
  return Object.entries(schema?.properties ?? {}).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || (schema?.required ?? []).includes(name),
    ...(property.description ? { description: property.description } : {}),
    schema: property,
  }))
}
