import type { Database } from '@palanquin/db/client'
import { Language } from '@palanquin/domain/participant'
import { withDeadline } from '@palanquin/service/deadline'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import type { Log } from '@palanquin/service/log'
import type { Redis } from '@palanquin/service/redis'
import Type, { type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import { isLineId, LANGUAGE } from '../push/audience.ts'
import { ERASE_DEADLINE_MS } from '../redis-deadlines.ts'

const KEY = 'alerts:owners'
const STORE_DEADLINE_MS = 1_000
/** The receivers of one message; no event has so many owners. */
const OWNERS_MAX = 500

const READ = `
SELECT r.user_id AS "userId", ${LANGUAGE} AS language
  FROM engagement.roles AS r LEFT JOIN line.users AS u USING (user_id)
  LEFT JOIN engagement.participants AS p USING (user_id)
 WHERE r.role = 'owner' AND ${isLineId('r.user_id')} AND coalesce(u.following AND u.blocked_at IS NULL, true)
 ORDER BY r.user_id LIMIT ${OWNERS_MAX}`

const Owner = Type.Object({ userId: Type.String(), language: Language })
export type Owner = Static<typeof Owner>
const owners = Compile(Type.Array(Owner))

/** The owners; while their database is away those of the last read, by this process or another. */
export function ownerBook({
  db,
  redis,
  log,
  deadlineMs: storeDeadlineMs = STORE_DEADLINE_MS,
}: {
  db: Pick<Database, 'queryAs'>
  redis: Redis
  log: Log
  deadlineMs?: number | undefined
}) {
  let known: Owner[] | null = null
  const inRedis = <T>(work: Promise<T>, deadlineMs = storeDeadlineMs) =>
    withDeadline(work, { what: 'Redis', deadlineMs })
  const quietly = <T>(work: Promise<T>): Promise<T | undefined> =>
    work.catch((error: unknown) => {
      log.debug({ event: 'alert.owners_unread', reason: String(error) }, 'A store did not return the owners')
      return undefined
    })
  return {
    read: async (): Promise<readonly Owner[]> => {
      const rows = await quietly(db.queryAs(Owner, READ, [], { deadlineMs: storeDeadlineMs }))
      if (rows) {
        const text = JSON.stringify(rows)
        if (text !== JSON.stringify(known)) await quietly(inRedis(redis.set(KEY, text)))
        known = rows
      } else if (!known) {
        const stored: unknown = JSON.parse((await quietly(inRedis(redis.get(KEY)))) ?? 'null')
        if (owners.Check(stored)) known = stored
      }
      return known ?? []
    },
    /** Forgets a user, whose role engagement removes. @throws StoreUnavailable: to be called again */
    forget: async (userId: string): Promise<void> => {
      if (known && !known.some((owner) => owner.userId === userId)) return
      known = null
      try {
        await inRedis(redis.del(KEY), ERASE_DEADLINE_MS)
      } catch (error) {
        throw new StoreUnavailable('list of owners', error)
      }
    },
  }
}

export type OwnerBook = ReturnType<typeof ownerBook>
