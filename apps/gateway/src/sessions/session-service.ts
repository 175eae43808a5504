import {
  LinkedSession,
  type LinkRequest,
  type NewSession,
  OwnSession,
  type Recovery,
  SecretHash,
  type SessionEnd,
  SessionsEnded,
  StoredSession,
} from '@palanquin/domain/session'
import { ApiError, StoreUnavailable } from '@palanquin/service/http/api-error'
import { PageOf } from '@palanquin/service/http/paging'
import type { ServiceClient } from '@palanquin/service/service-client'
import Type, { type Static } from 'typebox'
import { type NoSession, readSession, type Session } from './session.ts'

/** PostgreSQL has three seconds of it. */
const DEADLINE_MS = 5_000
/** A flush is part of it. */
const LINK_DEADLINE_MS = 9_000

/** A person's sessions, as the person sees them. */
export const OwnSessions = PageOf(OwnSession)
const Ended = Type.Object({ ended: Type.Array(SecretHash) })
const Found = Type.Object({ sessions: Type.Array(StoredSession) })
const Changed = Type.Object({ hashes: Type.Array(SecretHash) })

export type SessionService = ReturnType<typeof sessionService>

/** The engagement service, which stores sessions. All but `changed` throw StoreUnavailable. */
export function sessionService({
  client: engagement,
  isAdminKey,
  nowMs = Date.now,
}: {
  client: ServiceClient
  isAdminKey: (key: string) => boolean
  nowMs?: () => number
}) {
  const read = (stored: StoredSession): Session | NoSession =>
    readSession(stored, { nowMs: nowMs(), isAdminKey })
  /** A session that was just started. */
  const started = (stored: StoredSession): Session => {
    const session = read(stored)
    if (typeof session === 'string') throw new StoreUnavailable('list of sessions')
    return session
  }
  return {
    /** In the order of the hashes. */
    find: async (hashes: readonly string[]): Promise<(Session | NoSession)[]> => {
      const { sessions } = await dataOf(
        engagement.call({
          method: 'POST',
          path: '/internal/sessions/find',
          body: { hashes },
          deadlineMs: DEADLINE_MS,
          reply: Found,
        }),
      )
      const byHash = new Map(sessions.map((stored) => [stored.hash, read(stored)]))
      return hashes.map((hash) => byHash.get(hash) ?? 'unknown')
    },
    /** `arrivedAt`: when the caller came (epoch ms), also of `link`; LINE may have been asked for seconds meanwhile. */
    start: async (body: NewSession, arrivedAt: number): Promise<Session> =>
      started(
        await dataOf(
          engagement.call({
            method: 'POST',
            path: '/internal/sessions',
            body,
            arrivedAt,
            deadlineMs: DEADLINE_MS,
            reply: StoredSession,
          }),
        ),
      ),
    /** Undefined for a code that is unknown or used. */
    recover: async (body: Recovery): Promise<Session | undefined> => {
      const reply = await engagement.call({
        method: 'POST',
        path: '/internal/sessions/recover',
        body,
        deadlineMs: DEADLINE_MS,
        reply: StoredSession,
      })
      return reply.ok ? started(reply.data) : undefined
    },
    /** The session of the LINE id that a device was joined to; 401 or 409 for what cannot be joined. */
    link: async (
      body: LinkRequest,
      arrivedAt: number,
    ): Promise<{ session: Session; complete: boolean } | ApiError> => {
      const reply = await engagement.call({
        method: 'POST',
        path: '/internal/sessions/link',
        body,
        arrivedAt,
        deadlineMs: LINK_DEADLINE_MS,
        reply: LinkedSession,
      })
      if (!reply.ok) return new ApiError(reply.status === 409 ? 'conflict' : 'unauthorized', reply.message)
      return { session: started(reply.data.session), complete: reply.data.complete }
    },
    end: (body: SessionEnd): Promise<SessionsEnded> =>
      dataOf(
        engagement.call({
          method: 'POST',
          path: '/internal/sessions/end',
          body,
          deadlineMs: DEADLINE_MS,
          reply: SessionsEnded,
        }),
      ),
    /** The sessions of a person; `current` is the hash of the caller's, where a cookie was sent. */
    own: (userId: string, current: string | null): Promise<Static<typeof OwnSessions>> =>
      dataOf(
        engagement.call({
          method: 'POST',
          path: '/internal/sessions/own',
          body: { userId, current },
          deadlineMs: DEADLINE_MS,
          reply: OwnSessions,
        }),
      ),
    /** Ends one session of a person by its id; the hash of it, where there was one. */
    endOwn: async (userId: string, id: string): Promise<string[]> => {
      const { ended } = await dataOf(
        engagement.call({
          method: 'POST',
          path: '/internal/sessions/end-own',
          body: { userId, id },
          deadlineMs: DEADLINE_MS,
          reply: Ended,
        }),
      )
      return ended
    },
    /** The sessions that changed within the last half minute; undefined while that cannot be found out. */
    changed: async (): Promise<string[] | undefined> => {
      try {
        const path = '/internal/sessions/changed'
        const { hashes } = await dataOf(engagement.call({ path, deadlineMs: DEADLINE_MS, reply: Changed }))
        return hashes
      } catch (error) {
        if (error instanceof StoreUnavailable) return undefined
        throw error
      }
    },
  }
}

/** What engagement refuses here would be a bug of ours, or an older copy of it: sessions are away then. */
async function dataOf<T>(
  call: Promise<{ ok: true; data: T } | { ok: false; status: number; message: string }>,
): Promise<T> {
  const reply = await call
  if (reply.ok) return reply.data
  throw new StoreUnavailable(
    'list of sessions',
    new Error(`engagement answered ${reply.status}: ${reply.message}`),
  )
}
