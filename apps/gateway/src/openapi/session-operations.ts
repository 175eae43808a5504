import { UserId } from '@palanquin/domain/ids'
import { Nullable } from '@palanquin/domain/optional'
import { SessionKind } from '@palanquin/domain/session'
import { Iso } from '@palanquin/domain/time'
import { describe, openApiPart } from '@palanquin/service/http/openapi'
import { body, text } from '@palanquin/service/http/standard-schema'
import Type from 'typebox'
import { SignInBody } from '../sessions/credentials.ts'
import { OwnSessions } from '../sessions/session-service.ts'

const Session = Type.Object({
  userId: Nullable(UserId, 'who is signed in; null for a session of an admin token'),
  kind: SessionKind,
  tier: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 3,
      description: 'of the role, or of the admin token; left out for participants',
    }),
  ),
  expiresAt: Iso,
})
const NewSession = Type.Object({
  ...Session.properties,
  recoveryCode: Type.Optional(
    Type.String({ description: 'of device sessions: shown once, and works once on another phone' }),
  ),
})
const Ended = Type.Object({
  ended: Type.Integer({ minimum: 0, description: 'sessions that ended' }),
  recoveryCode: Type.Optional(
    Type.String({ description: 'with all=true, of a device’s participant: the only way back, shown once' }),
  ),
})

const tags = ['participants']
const DEVICE = {
  userId: 'w_4Kq9ZtB1mXc7RfYh2LsPeA',
  kind: 'device',
  expiresAt: '2026-06-01T15:00:00.000Z',
}

const GET = describe({
  summary: 'Who is signed in here',
  description:
    'By the cookie `__Host-session`. 204 without a session. The cookie is renewed: a session lasts thirty days from its last use, one of somebody with a role twelve hours from its start.',
  tags,
  answers: {
    200: {
      description: 'the session of the cookie',
      data: Session,
      example: DEVICE,
      headers: ['Set-Cookie'],
    },
    204: { description: 'no session', headers: ['Set-Cookie'] },
  },
  apiErrors: ['unavailable'],
})

const POST = describe({
  summary: 'Sign in',
  description:
    'One of `liffIdToken`, `code` and `verifier` of LINE Login with PKCE, `device: true` for a participant without LINE, `recoveryCode` of such a participant (which works once), or `adminToken`. With an `attempt` that the caller made up, a lost answer to `device` or `recoveryCode` can be asked for again; to `device` also by the attempt alone. Answers with the cookie `__Host-session` (HttpOnly, Secure, SameSite=Lax); the session that the browser had before ends. Somebody with a role has its tier for twelve hours. 403 for a page of another site. 429 after many new devices or failed proofs of an address within an hour (`SESSION_LIMIT`); a proof that succeeds is never refused for them.',
  tags,
  example: { device: true },
  answers: {
    201: {
      description: 'the new session',
      headers: ['Set-Cookie', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'],
      data: NewSession,
      example: { ...DEVICE, recoveryCode: '7KQ2M-0VX4D-HT93A-9WBFE' },
    },
  },
  apiErrors: ['invalid', 'unauthorized', 'forbidden', 'unavailable'],
})

const DELETE = describe({
  summary: 'Sign out, here or everywhere',
  description:
    'Ends the session of the cookie. With `all=true` every session of its person, their family links and the write tokens of their phone apps end, and the recovery code is void: a device’s participant gets another. Every process refuses them within a second. Without a session nothing ends.',
  tags,
  answers: {
    200: {
      description: 'how many sessions ended',
      data: Ended,
      example: { ended: 2, recoveryCode: '7KQ2M-0VX4D-HT93A-9WBFE' },
      headers: ['Set-Cookie'],
    },
  },
  apiErrors: ['forbidden', 'unavailable'],
})

const LINK = describe({
  summary: 'Join the walk of a device to a LINE id',
  description:
    'With the session of a device and `liffIdToken`, or `code` and `verifier`; or with the session of a LINE id and the `recoveryCode` of the device. Points, check-ins, survey, photos and feedback move over once; what both hold counts once by its key. Where both have a survey, phone number, name or status the LINE id keeps its own; of two consents the narrower holds. The id of the device is unknown from then on, and its sessions belong to the LINE id. A repeated call goes on where the first one ended.',
  tags,
  example: { liffIdToken: 'eyJraWQiOi…' },
  answers: {
    200: {
      description:
        'the new session of the LINE id; `complete`: whether everything has moved, else it follows within a minute',
      data: Type.Object({
        ...Session.properties,
        complete: Type.Boolean({ description: 'whether points and pictures have moved too' }),
      }),
      example: { ...DEVICE, userId: 'U4af4980629c1f0b8d3e5a7c6b9d0e1f2', kind: 'line', complete: true },
      headers: ['Set-Cookie'],
    },
  },
  apiErrors: ['invalid', 'unauthorized', 'forbidden', 'conflict', 'unavailable'],
})

const OWN = describe({
  summary: 'Where I am signed in',
  description: `All sessions of the caller's person that are not over, the caller's own and the latest used first. A participant's session lasts thirty days from its last use, and ninety from its start at most; of somebody with a role twelve hours from its start.`,
  tags,
  answers: {
    200: {
      description: 'the sessions, without their tokens; all are on one page',
      data: OwnSessions,
      example: {
        items: [
          {
            id: '0198c0de-7a31-7c2e-9d4b-1f60a4b7c813',
            kind: 'device',
            createdAt: '2026-05-01T15:00:00.000Z',
            lastSeenAt: '2026-05-02T09:30:00.000Z',
            expiresAt: '2026-06-01T09:30:00.000Z',
            current: true,
            device: 'iPhone · Safari',
          },
        ],
        nextCursor: null,
        total: 1,
      },
    },
  },
  apiErrors: ['unauthorized', 'unavailable'],
})

const END_OWN = describe({
  summary: 'End one of my sessions',
  description: 'By its id of GET /sessions. Every process refuses it within a second. 404 once it is over.',
  tags,
  answers: {
    200: {
      description: 'it has ended; the cookie is removed where it was that of the call',
      data: Type.Object({ ended: Type.Literal(true, { description: 'that it has ended' }) }),
      example: { ended: true },
      headers: ['Set-Cookie'],
    },
  },
  apiErrors: ['unauthorized', 'forbidden', 'notFound', 'unavailable'],
})

const everywhere = Type.Object({
  all: Type.Optional(Type.Boolean({ description: 'true: everywhere, not here alone' })),
})

/** The paths that the gateway answers by itself, as a service would describe them. */
export const SESSION_OPERATIONS = openApiPart([
  { method: 'GET', path: '/session', hooks: { detail: GET } },
  { method: 'POST', path: '/session', hooks: { body: body(SignInBody), detail: POST } },
  { method: 'POST', path: '/session/link', hooks: { body: body(SignInBody), detail: LINK } },
  { method: 'GET', path: '/sessions', hooks: { detail: OWN } },
  { method: 'DELETE', path: '/sessions/:id', hooks: { detail: END_OWN } },
  { method: 'DELETE', path: '/session', hooks: { query: text(everywhere), detail: DELETE } },
])
