import { PhoneApp } from '@palanquin/domain/phone-apps'
import type { ApiErrorCode } from '@palanquin/service/http/api-error'
import { headersOf } from '@palanquin/service/http/openapi-headers'
import Type from 'typebox'
import { errorResponses, withGatewayHeaders } from './responses.ts'

/** 400 and 413 are for what no app sends. */
const ERRORS: readonly ApiErrorCode[] = [
  ...(['invalid', 'unauthorized', 'forbidden', 'notFound', 'methodNotAllowed', 'tooLarge'] as const),
  ...(['bug', 'unavailable'] as const),
]

const appParameter = {
  name: 'app',
  in: 'path',
  required: true,
  description: 'which app it is; units and replies belong to the app',
  schema: PhoneApp,
}
const tokenParameter = {
  name: 'token',
  in: 'path',
  required: true,
  description: 'the write token; apps that can send a header or a password need none here',
  schema: Type.String({ pattern: '^plq[0-9A-Za-z]{29}$' }),
}

const DESCRIPTION = [
  'For apps that people already have: each sends what it sends anyway, and is answered so that it neither loses nor repeats points. The token is the first of: the path, `Authorization: Bearer`, `Authorization: Basic` (the password, else the user), the field that the app has for an identity, `token`, `api_key`.',
  '200: taken, or never to be taken. 503: to be sent again later. 401: the token is unknown; Overland gets it as a 200 with `error`, and Colota and PhoneTrack as a 503, because of what they would do otherwise. OsmAnd’s errors are held back for some seconds.',
  'At most 1 MiB, 1,200 requests and 20,000 points a minute for each token.',
].join('\n\n')

const number = (description: string) => Type.Optional(Type.Number({ description }))
const FIELDS = {
  lat: number('degrees'),
  lon: number('degrees'),
  tst: number('when it was recorded, epoch seconds'),
  acc: number('metres'),
}
/** Of the largest formats; what else the apps send is read too, and what is not known is ignored. */
const Sent = Type.Union([
  Type.Object(FIELDS, { additionalProperties: true, description: 'OwnTracks, Colota: a point' }),
  Type.Object(
    {
      locations: Type.Array(
        Type.Object({}, { additionalProperties: true, description: 'a GeoJSON feature' }),
        {
          description: 'a batch',
        },
      ),
    },
    { additionalProperties: true, description: 'Overland' },
  ),
])
const SENT = { _type: 'location', lat: 24.3457, lon: 120.6238, tst: 1_777_647_600, acc: 8 }
const Form = Type.Object(
  { lat: FIELDS.lat, lon: FIELDS.lon, timestamp: number('when it was recorded') },
  { additionalProperties: true, description: 'Traccar Client, µlogger, PhoneTrack: a point' },
)
const Taken = Type.Union([
  Type.Array(Type.Object({}, { additionalProperties: false }), { maxItems: 0, description: 'OwnTracks' }),
  Type.Object({
    result: Type.Literal('ok', { description: 'Overland: it may forget the batch' }),
    set: Type.Optional(
      Type.Object(
        {},
        { additionalProperties: true, description: 'Overland: its settings, once for a device' },
      ),
    ),
  }),
  Type.Object({ done: Type.Literal(1, { description: 'PhoneTrack: it is stored' }) }),
  Type.Object({
    error: Type.Union([Type.Literal(false), Type.String()], {
      description: 'µlogger: false; Overland: why it is to keep the batch',
    }),
    trackid: Type.Optional(Type.Integer({ description: 'µlogger: of the track that it opened' })),
  }),
])

const responsesOf = (method: 'get' | 'post') => ({
  ...errorResponses(ERRORS),
  200: withGatewayHeaders(
    {
      description: 'taken, or never to be taken: what the app expects, which is nothing for most',
      ...(method === 'post'
        ? { content: { 'application/json': { schema: Taken, example: { result: 'ok' } } } }
        : {}),
    },
    { isCounted: false },
  ),
  ...(method === 'get' ? { 303: VISIT } : {}),
})
const VISIT = withGatewayHeaders(
  {
    description: 'a GET without a position: the page that sets the app up',
    headers: headersOf(['Location']),
  },
  { isCounted: false },
)

const operation = (method: 'get' | 'post', name: string, parameters: readonly unknown[]) => ({
  operationId: `${method}${name}`,
  summary: method === 'post' ? 'Positions from an app on a phone' : 'The same, of apps that send by GET',
  description: DESCRIPTION,
  tags: ['GPS'],
  parameters,
  ...(method === 'post'
    ? {
        requestBody: {
          description: 'as the app sends it',
          content: {
            'application/json': { schema: Sent, example: SENT },
            'application/x-www-form-urlencoded': { schema: Form },
            'multipart/form-data': { schema: Form },
          },
        },
      }
    : {}),
  responses: responsesOf(method),
  security: [],
})

const path = (name: string, parameters: readonly unknown[]) => ({
  get: operation('get', name, parameters),
  post: operation('post', name, parameters),
})

/** What the apps on people's phones send to; µlogger and PhoneTrack append the paths of their own servers. */
export const PHONE_APP_OPERATIONS = {
  '/in/{app}': path('In', [appParameter]),
  '/in/{app}/{token}': path('InToken', [appParameter, tokenParameter]),
}
