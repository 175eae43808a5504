/** Sessions of people, between the gateway and the engagement service. */
import Type, { type Static } from 'typebox'
import { UserId } from './ids'
import { Nullable } from './optional'
import { Role } from './role'
import { Iso } from './time'

/** `device`: this browser and a recovery code; `line`: identified by LINE; `admin`: one of the admin tokens. */
export const SESSION_KINDS = ['device', 'line', 'admin'] as const
export const SessionKind = Type.Enum([...SESSION_KINDS], { description: 'device, line or admin' })
export type SessionKind = Static<typeof SessionKind>

/** SHA-256 in base64url: of a session's token, of a recovery code. */
export const SecretHash = Type.String({ pattern: '^[A-Za-z0-9_-]{43}$' })

/** A session as it is stored. `role`: what the person may do now, null for a participant. */
export const StoredSession = Type.Object({
  hash: SecretHash,
  kind: SessionKind,
  userId: Nullable(UserId),
  /** Whether the session is over: signed out or expired. */
  isOver: Type.Boolean(),
  /** Whether its role may change while it lasts. */
  isStaff: Type.Boolean(),
  role: Nullable(Role),
  /** The hash of the admin token that it began with. */
  adminKey: Nullable(Type.String()),
  expiresAt: Iso,
})
export type StoredSession = Static<typeof StoredSession>

/** What somebody signed in with; null where its User-Agent says nothing known. */
const DeviceName = Nullable(
  Type.String({ maxLength: 64 }),
  'a short name by its User-Agent: `iPhone · Safari`',
)

/** A session as its own person sees it. */
export const OwnSession = Type.Object({
  id: Type.String({ description: 'ends it by DELETE /sessions/{id}, and opens nothing' }),
  kind: SessionKind,
  createdAt: Iso,
  lastSeenAt: Type.String({ ...Iso, description: 'the last use, to an hour' }),
  expiresAt: Iso,
  current: Type.Boolean({ description: 'whether it is the session of this call' }),
  device: DeviceName,
})
export type OwnSession = Static<typeof OwnSession>

/** Body of `POST /internal/sessions`. `replaces`: the session that the caller had before; it ends. */
export const NewSession = Type.Object({
  hash: SecretHash,
  kind: SessionKind,
  userId: Nullable(UserId),
  adminKey: Nullable(Type.String({ maxLength: 64 })),
  adminRole: Nullable(Role),
  /** Of the recovery code that a device's participant gets. */
  codeHash: Nullable(SecretHash),
  replaces: Nullable(SecretHash),
  /** Of the attempt of a device: `Recovery` with it repeats the answer. */
  attemptHash: Type.Optional(Nullable(SecretHash)),
  device: Type.Optional(DeviceName),
})
export type NewSession = Static<typeof NewSession>

/** Body of `POST /internal/sessions/recover`: the code is replaced by the next. */
export const Recovery = Type.Object({
  hash: SecretHash,
  codeHash: SecretHash,
  nextCodeHash: SecretHash,
  replaces: Nullable(SecretHash),
  /** Of the attempt: the same again with a code that it has used is answered as the first time. */
  attemptHash: Type.Optional(Nullable(SecretHash)),
  device: Type.Optional(DeviceName),
})
export type Recovery = Static<typeof Recovery>

/** Body of `POST /internal/sessions/end`. `nextCodeHash`: ends all, with a new recovery code. */
export const SessionEnd = Type.Object({ hash: SecretHash, nextCodeHash: Nullable(SecretHash) })
export type SessionEnd = Static<typeof SessionEnd>

/** Its answer: the sessions that ended, and whether the code is in force. */
export const SessionsEnded = Type.Object({ ended: Type.Array(SecretHash), hasNextCode: Type.Boolean() })
export type SessionsEnded = Static<typeof SessionsEnded>

/** `present` is the caller's session, `session` that of the LINE id; `codeHash` names another device. */
export const LinkRequest = Type.Object({
  present: SecretHash,
  session: NewSession,
  codeHash: Nullable(SecretHash),
})
export type LinkRequest = Static<typeof LinkRequest>

/** Its answer. */
export const LinkedSession = Type.Object({ session: StoredSession, complete: Type.Boolean() })

/** Body of `POST /internal/link`: a device's participant was joined to a LINE id. */
export const LinkBody = Type.Object({ deviceId: UserId, userId: UserId })
export type LinkBody = Static<typeof LinkBody>

/** Prefix of the `userId` of participants without LINE; LINE's begin with `U`. */
export const DEVICE_PREFIX = 'w_'
/** Random letters and digits behind it: 131 bits. */
export const DEVICE_ID_LENGTH = 22

/** A gateway that missed more looks up every session anew. */
export const SESSION_CHANGES_REACH_MS = 30_000
