import type { Database } from '@palanquin/db/client'
import {
  type NewSession,
  OwnSession,
  type Recovery,
  SecretHash,
  type SessionEnd,
  SessionsEnded,
  StoredSession,
} from '@palanquin/domain/session'
import type { Receipt } from '@palanquin/service/erasure-token'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import type { Page } from '@palanquin/service/http/paging'
import Type from 'typebox'
import {
  CHANGED,
  END,
  END_ALL,
  END_OWN,
  FIND,
  FORGET_CHANGES,
  FORGET_DEAD,
  OWN,
  RECOVER,
  START,
} from './sql.ts'

const Hash = Type.Object({ hash: SecretHash })
const OwnRow = Type.Object({ ...OwnSession.properties, total: Type.Integer() })

/** Who is signed in. All throw StoreUnavailable. */
export function sessionStore(db: Database) {
  const hashes = async (statement: string, parameters: string[] = []): Promise<string[]> =>
    (await db.queryAs(Hash, statement, parameters)).map(({ hash }) => hash)
  return {
    /** The sessions of these hashes, those that are over too; a participant's that is used lasts 30 days from now. */
    find: (all: readonly string[]) => db.queryAs(StoredSession, FIND, [all]),
    /** Starts a session, and creates its participant where there is none. */
    start: async (session: NewSession, receipt: Receipt | null = null): Promise<StoredSession> => {
      const { hash, kind, userId, adminKey, adminRole, codeHash, replaces } = session
      const { attemptHash = null, device = null } = session
      const known = [hash, kind, userId, adminKey, adminRole, codeHash, replaces, attemptHash]
      const parameters = [...known, device, receipt]
      const [row] = await db.queryAs(StoredSession, START, parameters)
      if (!row) throw new StoreUnavailable('list of sessions', new Error('the participant was erased'))
      return row
    },
    /** Starts a session of the code's participant; null for an unknown code, or one that another attempt has used. */
    recover: async (recovery: Recovery): Promise<StoredSession | null> => {
      const { hash, codeHash, nextCodeHash, replaces, attemptHash = null, device = null } = recovery
      const parameters = [hash, codeHash, nextCodeHash, replaces, attemptHash, device]
      const [row] = await db.queryAs(StoredSession, RECOVER, parameters)
      return row ?? null
    },
    /** Ends a session; with a next recovery code all of its person, their family links and phone apps. */
    end: async ({ hash, nextCodeHash }: SessionEnd): Promise<SessionsEnded> => {
      const [row] = await (nextCodeHash === null
        ? db.queryAs(SessionsEnded, END, [hash])
        : db.queryAs(SessionsEnded, END_ALL, [hash, nextCodeHash]))
      if (!row) throw new Error('the statement that ends sessions returned no row')
      return row
    },
    /** A person's sessions, the one of this hash and the latest used first. */
    own: async (userId: string, current: string | null): Promise<Page<OwnSession>> => {
      const rows = await db.queryAs(OwnRow, OWN, [userId, current])
      const items = rows.map(({ total: _, ...session }) => session)
      return { items, nextCursor: null, total: rows[0]?.total ?? 0 }
    },
    /** Ends one session of a person by its id; returns its hash where there was one. */
    endOwn: (userId: string, id: string) => hashes(END_OWN, [userId, id]),
    /** The sessions that ended or changed within the last half minute. */
    changed: () => hashes(CHANGED),
    /** Forgets old changes, and sessions that have been over for a month. */
    forget: async (): Promise<void> => {
      await db.query(FORGET_CHANGES)
      await db.query(FORGET_DEAD)
    },
  }
}

export type SessionStore = ReturnType<typeof sessionStore>
