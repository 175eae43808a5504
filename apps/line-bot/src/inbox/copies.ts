import type { Database } from '@palanquin/db/client'
import { lineInbox } from '@palanquin/db/schema/line'
import { appendOnce } from '@palanquin/events/ordered/append'
import { EVENT_FIELD, entriesIn } from '@palanquin/events/ordered/queue'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import type { Log } from '@palanquin/service/log'
import type { Redis } from '@palanquin/service/redis'
import { inArray } from 'drizzle-orm'
import Type, { type Static } from 'typebox'
import { isErasable } from './erase.ts'
import { type Inbound, readInbound } from './inbound.ts'
import { INBOX } from './queue.ts'

/** LINE waits two seconds for the answer of a webhook. */
const KEEP_DEADLINE_MS = 1_000
/** Older copies only are compared with the inbox: the webhook may be between the two. */
const COMPARED_AFTER_S = 5
const PAGE = 500
/** Ids of what was handled while PostgreSQL is away; what is more is found and removed by `restore`. */
const HANDLED_MAX = 10_000

const Copy = Type.Object({ id: Type.String(), event: Type.String() })
type Copy = Static<typeof Copy>
export type InboxCopies = ReturnType<typeof inboxCopies>

/** Copies of waiting events in PostgreSQL: Redis may lose its last second, and LINE does not send them again. */
export function inboxCopies({
  db,
  redis,
  log,
  keepDeadlineMs = KEEP_DEADLINE_MS,
}: {
  db: Database
  redis: Redis
  log: Log
  keepDeadlineMs?: number | undefined
}) {
  let handled: string[] = []

  const remove = async (ids: readonly string[]): Promise<void> => {
    if (ids.length === 0) return
    await db.orm((orm) => orm.delete(lineInbox).where(inArray(lineInbox.id, [...ids])))
  }

  const restorePage = async (rows: readonly Copy[]): Promise<number> => {
    const waiting = await waitingIn(redis)
    const absent = rows.filter(({ id }) => !waiting.has(id))
    const events = absent.flatMap(({ event }) => readInbound(event) ?? [])
    // What it has seen and does not have any more was handled.
    const lost = new Set((await appendOnce(redis, INBOX, events)).map(({ id }) => id))
    await remove(absent.map(({ id }) => id).filter((id) => !lost.has(id)))
    return lost.size
  }

  return {
    /** Copies events that Redis has taken in. Never rejects: they are taken in with or without. */
    keep: async (events: readonly Inbound[]): Promise<void> => {
      if (events.length === 0) return
      try {
        const rows = events.map((event) => ({ id: event.id, userId: event.userId, event }))
        await db.orm((orm) => orm.insert(lineInbox).values(rows).onConflictDoNothing(), {
          deadlineMs: keepDeadlineMs,
        })
      } catch (error) {
        log.debug(
          { event: 'inbox.copy_failed', reason: String(error) },
          'Events of the inbox are in Redis alone',
        )
      }
    },
    /** An event was handled, or put to the dead letters: its copy goes with the next `sweep`. */
    settle: (id: string): void => {
      if (handled.length < HANDLED_MAX) handled.push(id)
    },
    /** Removes the copies of what was handled. @throws StoreUnavailable; they go next time */
    sweep: async (): Promise<void> => {
      const ids = handled
      handled = []
      try {
        await remove(ids)
      } catch (error) {
        handled = [...ids, ...handled].slice(0, HANDLED_MAX)
        throw error
      }
    },
    /** Appends what Redis has lost and removes copies of handled events; how many were lost. @throws StoreUnavailable */
    restore: async (): Promise<number> => {
      let restored = 0
      for (let after = ''; ; ) {
        const rows = await readPage(db, after)
        const last = rows.at(-1)
        if (!last) break
        restored += await restorePage(rows)
        after = last.id
      }
      if (restored > 0)
        log.warn(
          { event: 'inbox.restored', events: restored },
          'Redis had lost events of the chat; they were restored',
        )
      return restored
    },
    /** As `eraseFromInbox`. @throws StoreUnavailable */
    erase: async (userId: string): Promise<void> => {
      const rows = await db.queryAs(
        Copy,
        'SELECT id, event::text AS event FROM line.inbox WHERE user_id = $1',
        [userId],
      )
      await remove(rows.filter(({ event }) => isErasable(userId, event, false)).map(({ id }) => id))
    },
  }
}

const readPage = (db: Database, after: string): Promise<Copy[]> =>
  db.queryAs(
    Copy,
    `SELECT id, event::text AS event FROM line.inbox
      WHERE id > $1 AND taken_at < now() - make_interval(secs => ${COMPARED_AFTER_S}) ORDER BY id LIMIT ${PAGE}`,
    [after],
  )

/** Ids of the events that wait in the inbox. @throws StoreUnavailable */
async function waitingIn(redis: Redis): Promise<Set<string>> {
  const ids = new Set<string>()
  try {
    for await (const page of entriesIn(redis, INBOX.stream))
      for (const { fields } of page) {
        const event = readInbound(fields?.[EVENT_FIELD])
        if (event) ids.add(event.id)
      }
    return ids
  } catch (error) {
    throw new StoreUnavailable('inbox', error)
  }
}
