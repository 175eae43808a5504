import type { Database } from '@palanquin/db/client'
import { type NewSession, type Recovery, SecretHash, StoredSession } from '@palanquin/domain/session'
import Type from 'typebox'
import { CHANGED, END, FIND, FORGET_CHANGES, FORGET_DEAD, RECOVER, START } from './sql.ts'

const Hash = Type.Object({ hash: SecretHash })

/** Who is signed in. All throw StoreUnavailable. */
export function sessionStore(db: Database) {
  const hashes = async (statement: string, parameters: (string | boolean)[] = []): Promise<string[]> =>
    (await db.queryAs(Hash, statement, parameters)).map(({ hash }) => hash)
  return {
    /** The sessions of these hashes, those that are over too; a participant's that is used lasts 30 days from now. */
    find: (all: readonly string[]) => db.queryAs(StoredSession, FIND, [all]),
    /** Starts a session, and creates its participant where there is none. */
    start: async (session: NewSession): Promise<StoredSession> => {
      const { hash, kind, userId, adminKey, adminRole, codeHash, replaces, attemptHash = null } = session
      const parameters = [hash, kind, userId, adminKey, adminRole, codeHash, replaces, attemptHash]
      const [row] = await db.queryAs(StoredSession, START, parameters)
      if (!row) throw new Error('a session that was just started has no row')
      return row
    },
    /** Starts a session of the code's participant; null for an unknown code, or one that another attempt has used. */
    recover: async (recovery: Recovery): Promise<StoredSession | null> => {
      const { hash, codeHash, nextCodeHash, replaces, attemptHash = null } = recovery
      const parameters = [hash, codeHash, nextCodeHash, replaces, attemptHash]
      const [row] = await db.queryAs(StoredSession, RECOVER, parameters)
      return row ?? null
    },
    /** Ends a session, or all of its person; returns the hashes of those that this call ended. */
    end: (hash: string, { all }: { all: boolean }) => hashes(END, [hash, all]),
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
