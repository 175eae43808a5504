import { UserId } from '@palanquin/domain/ids'
import { refusalsOf } from '@palanquin/service/http/openapi'
import type { Rules } from '../limits/rules.ts'
import type { Route, ServiceName } from '../route.ts'
import { notesOf, refusalsOfRow, securityOf, TAGS, tagOf } from './describe.ts'
import { SYSTEM_PATHS } from './system-paths.ts'

type Json = Readonly<Record<string, unknown>>
/** What the services say of their own paths, as far as they answered. */
export type Parts = Readonly<Partial<Record<ServiceName, Json>>>

const LIFF_TOKEN = {
  type: 'http',
  scheme: 'bearer',
  bearerFormat: 'JWT',
  description: 'the ID token that LIFF gives a page (liff.getIDToken()) of whoever has it open in LINE',
}

/**
 * The OpenAPI 3.1 document of the whole house: every row of the table, in the words of its service where that has
 * them, with what the gateway itself adds: prefix, tokens, limits, refusals.
 */
export function openApiDocument({
  prefix,
  routes,
  rules,
  parts,
}: {
  prefix: string
  routes: readonly Route[]
  rules: Rules
  parts: Parts
}): Json {
  const paths: Record<string, Record<string, unknown>> = { ...SYSTEM_PATHS }
  for (const route of routes) {
    const path = prefix + route.path
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, { rules, parts }) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Palanquin',
      version: '1.0.0',
      description:
        'The live-tracking service of a walking pilgrimage. Success is `{ok: true, data}`, an error `{error, requestId}`.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'this service' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: {
        AdminToken: { type: 'apiKey', in: 'header', name: 'X-Admin-Token' },
        FeedbackToken: { type: 'apiKey', in: 'header', name: 'X-Feedback-Token' },
        ...(routes.some(({ proof }) => proof !== 'none') ? { LiffToken: LIFF_TOKEN } : {}),
      },
    },
  }
}

function operation(route: Route, { rules, parts }: { rules: Rules; parts: Parts }): Json {
  const said = route.built ? saidOf(route, parts[route.service]) : undefined
  const notes = [said?.description, ...notesOf(route, rules)].filter((note) => typeof note === 'string')
  const parameters = [...pathParameters(route), ...queryParameters(route, said)]
  const requestBody = said ? said.requestBody : placeholderBody(route)
  return {
    operationId: operationId(route),
    summary: said?.summary ?? route.summary,
    description: notes.join('\n\n'),
    tags: [tagOf(route)],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(requestBody === undefined ? {} : { requestBody }),
    responses: {
      ...refusalsOf(refusalsOfRow(route)),
      ...objectOf(said?.responses ?? placeholderAnswer(route)),
    },
    security: securityOf(route),
    // For machines: what `notesOf` says in words.
    ...(route.token === 'none' ? {} : { 'x-tier': route.tier }),
  }
}

/** The operation of a service at the same path, whatever it calls its parameters. */
function saidOf({ method, path }: Route, part: Json | undefined): Json | undefined {
  const shape = (text: string) => text.replace(/\{\w+\}(?:\.png)?/g, '{}')
  const found = Object.entries(objectOf(part?.paths)).find(([other]) => shape(other) === shape(path))
  const said = objectOf(found?.[1])[method.toLowerCase()]
  return said === undefined ? undefined : objectOf(said)
}

function pathParameters({ path }: Route): Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: UserId,
  }))
}

function queryParameters({ userId }: Route, said: Json | undefined): unknown[] {
  if (Array.isArray(said?.parameters))
    return said.parameters.filter((parameter) => objectOf(parameter).in === 'query')
  return userId === 'query' ? [{ name: 'userId', in: 'query', required: true, schema: UserId }] : []
}

function placeholderBody({ body, userId }: Route): Json | undefined {
  if (body === 'none') return undefined
  const named = userId === 'body' ? { properties: { userId: UserId }, required: ['userId'] } : {}
  const json = { 'application/json': { schema: { type: 'object', ...named } } }
  const content =
    body === 'upload' ? { ...json, 'multipart/form-data': { schema: { type: 'object' } } } : json
  return { required: body !== 'json?', content }
}

const placeholderAnswer = ({ built }: Route): Json => (built ? { 200: { description: 'done' } } : {})

const operationId = ({ method, path }: Route): string =>
  method.toLowerCase() +
  path.replace(/[^A-Za-z]+([A-Za-z])?/g, (_, letter: string | undefined) => letter?.toUpperCase() ?? '')

const objectOf = (value: unknown): Json => (typeof value === 'object' && value !== null ? { ...value } : {})
