import { UserId } from '@palanquin/domain/ids'
import { type ApiErrorCode, STATUS_BY_CODE } from '@palanquin/service/http/api-error'
import type { ResponseObject } from '@palanquin/service/http/openapi'
import { HEADERS } from '@palanquin/service/http/openapi-headers'
import type { Rules } from '../rate-limit/rules.ts'
import { type Route, readsAdminToken, type ServiceName } from '../route.ts'
import { errorsOf, notesOf, type Proofs, securityOf, TAGS, tagOf } from './describe.ts'
import {
  headerParameters,
  type Json,
  objectOf,
  pathParameters,
  queryParameters,
  REQUEST_ID,
} from './parameters.ts'
import { PHONE_APP_OPERATIONS } from './phone-app-paths.ts'
import { ERROR_COMPONENTS, errorResponses, withGatewayHeaders } from './responses.ts'
import { SESSION_OPERATIONS } from './session-operations.ts'
import { SYSTEM_PATHS } from './system-paths.ts'

/** What the services say of their own paths, as far as they responded. */
export type Parts = Readonly<Partial<Record<ServiceName, Json>>>

/** The conventions of the whole API. */
const CONVENTIONS = [
  'The live-tracking service of a walking pilgrimage. Success is `{ok: true, data}`, an error `{error, requestId}`.',
  'Names are camelCase. Request bodies and queries may use snake_case as well (`user_id` for `userId`); clients in the field also say `line_user_id` for `userId`, and `timestamp` or `datetime` for `recordedAt`. Of two spellings in one body the later wins. Unknown fields are ignored.',
  'Times go out as ISO 8601 UTC with milliseconds; they come in as ISO 8601 with an offset, or as epoch milliseconds. Degrees are WGS 84; distances kilometres, speeds km/h, accuracy and altitude metres, carbon kg CO2e; kilometres and kilograms have three decimals.',
  'Texts are trimmed; control characters but line feed and tab are refused. A body has at most 102,400 bytes, 2,000 keys (64 an object; a point of a sync 16), arrays of 1,000 items, and depth 16; it is not compressed.',
  'Limits are sliding windows; what is refused does not count. HEAD works where GET does. OPTIONS answers 204 on any path.',
].join('\n\n')

/** Of every JSON body of the table. */
const BODY_NOTE =
  'Names in camelCase or snake_case; `line_user_id` is understood for `userId`, `timestamp` and `datetime` for `recordedAt`.'

const LIFF_TOKEN = {
  type: 'http',
  scheme: 'bearer',
  bearerFormat: 'JWT',
  description: 'the ID token that LIFF gives a page in LINE (liff.getIDToken())',
}

const DEVICE_TOKEN = {
  type: 'http',
  scheme: 'bearer',
  description: 'the write token of an app on a phone, from POST /devices',
}

const SESSION = {
  type: 'apiKey',
  in: 'cookie',
  name: '__Host-session',
  description: 'from POST /session; a write with it needs an Origin header that names this service',
}

/**
 * The OpenAPI 3.1 document of the whole API: every row of the table as its service describes it, with what the gateway
 * adds: prefix, tokens, limits, errors.
 */
export function openApiDocument({
  prefix,
  routes,
  rules,
  parts,
  proofs,
}: {
  prefix: string
  routes: readonly Route[]
  rules: Rules
  parts: Parts
  proofs: Proofs
}): Json {
  const paths: Record<string, Record<string, unknown>> = { ...SYSTEM_PATHS, ...PHONE_APP_OPERATIONS }
  for (const route of routes) {
    const path = (route.atRoot ? '' : prefix) + route.path
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, { rules, parts, proofs }) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Palanquin',
      version: '1.0.0',
      description: CONVENTIONS,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'this service' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      ...ERROR_COMPONENTS,
      headers: HEADERS,
      parameters: { RequestId: REQUEST_ID },
      securitySchemes: {
        AdminToken: { type: 'apiKey', in: 'header', name: 'X-Admin-Token' },
        FeedbackToken: { type: 'apiKey', in: 'header', name: 'X-Feedback-Token' },
        ...(proofs.own.includes('LiffToken') ? { LiffToken: LIFF_TOKEN } : {}),
        Session: SESSION,
        DeviceToken: DEVICE_TOKEN,
      },
    },
  }
}

function operation(
  route: Route,
  { rules, parts, proofs }: { rules: Rules; parts: Parts; proofs: Proofs },
): Json {
  const said = saidOf(route, route.handler === 'session' ? SESSION_OPERATIONS : parts[route.service])
  const notes = [said?.description, ...notesOf(route, rules)].filter((note) => typeof note === 'string')
  const parameters = [
    ...pathParameters(route),
    ...queryParameters(route, said),
    ...headerParameters(route, objectOf(said?.responses)),
  ]
  const requestBody = said ? said.requestBody : placeholderBody(route)
  return {
    operationId: operationId(route),
    summary: said?.summary ?? route.summary,
    description: notes.join('\n\n'),
    tags: [tagOf(route)],
    parameters,
    ...(requestBody === undefined ? {} : { requestBody: { ...noteOf(route), ...objectOf(requestBody) } }),
    responses: responsesOf(route, objectOf(said?.responses ?? PLACEHOLDER_RESPONSE)),
    security: securityOf(route, proofs),
    // For programs: the tier that `notesOf` describes.
    ...(readsAdminToken(route.token) ? { 'x-tier': route.tier } : {}),
  }
}

/** The service's responses, and every error, its own and the gateway's. */
function responsesOf(route: Route, said: Json): Json {
  const isCompressed = route.freshMs !== undefined
  const isCounted = route.limits.length > 0 && !isCompressed
  const successes = Object.entries(said)
    .filter(([status]) => Number(status) < 400)
    .map(([status, response]) => [
      status,
      withGatewayHeaders(responseOf(response), { isCounted, isCompressed }),
    ])
  const own = REASONS.filter((reason) => String(STATUS_BY_CODE[reason]) in said)
  return { ...Object.fromEntries(successes), ...errorResponses([...own, ...errorsOf(route)]) }
}

const REASONS = Object.keys(STATUS_BY_CODE) as ApiErrorCode[]
const responseOf = (said: unknown): ResponseObject => ({ description: 'done', ...objectOf(said) })

/** The operation of a service at the same path, whatever the names of its parameters. */
function saidOf({ method, path }: Route, part: Json | undefined): Json | undefined {
  const shape = (text: string) => text.replace(/\{\w+\}(?:\.png|\.properties)?/g, '{}')
  const found = Object.entries(objectOf(part?.paths)).find(([other]) => shape(other) === shape(path))
  const said = objectOf(found?.[1])[method.toLowerCase()]
  return said === undefined ? undefined : objectOf(said)
}

const noteOf = ({ body }: Route): Json => (body === 'bytes' ? {} : { description: BODY_NOTE })

function placeholderBody({ body, userId }: Route): Json | undefined {
  if (body === 'none') return undefined
  const named = userId === 'body' ? { properties: { userId: UserId }, required: ['userId'] } : {}
  const json = { 'application/json': { schema: { type: 'object', ...named } } }
  const content =
    body === 'upload' ? { ...json, 'multipart/form-data': { schema: { type: 'object' } } } : json
  return { required: body !== 'json?', content }
}

const PLACEHOLDER_RESPONSE: Json = { 200: { description: 'done' } }

const operationId = ({ method, path }: Route): string =>
  method.toLowerCase() +
  path.replace(/[^A-Za-z]+([A-Za-z])?/g, (_, letter: string | undefined) => letter?.toUpperCase() ?? '')
