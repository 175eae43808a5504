import type { Database } from '@palanquin/db/client'
import { UNLOCKED_EVENT, unlocking } from './due.ts'

/** Keeps one statement short, also where nobody was unlocked for days. */
const SWEPT_AT_ONCE = 1_000

const withEvent = (unlocked: string) => `
WITH ${unlocked}, told AS (
  INSERT INTO engagement.outbox (type, data) SELECT 'achievement.unlocked', ${UNLOCKED_EVENT} FROM unlocked
)
SELECT user_id AS "userId" FROM unlocked ORDER BY user_id`

const UNLOCK = withEvent(unlocking('p.user_id = ANY ($1::text[])'))
const SWEEP = withEvent(unlocking('p.user_id > $1::text', `LIMIT ${SWEPT_AT_ONCE}`))

/**
 * Tells `achievement.unlocked` of whoever meets the three conditions now and was not told of before: once for each
 * participant, whatever changes later. Whoever stores one of the conditions asks here after it, so that the last
 * of them finds all three, in whatever order they came. All throw StoreUnavailable.
 */
export function achievements(db: Pick<Database, 'query'>) {
  const unlocked = async (statement: string, parameter: string | readonly string[]): Promise<string[]> =>
    (await db.query<{ userId: string }>(statement, [parameter])).map(({ userId }) => userId)
  return {
    /** Of these participants; answers with those who were unlocked by this call. */
    unlock: (userIds: readonly string[]): Promise<string[]> => unlocked(UNLOCK, userIds),
    /** Of all: for events that never came. Answers with how many were unlocked. */
    sweep: async (): Promise<number> => {
      let count = 0
      for (let after = ''; ; ) {
        const userIds = await unlocked(SWEEP, after)
        count += userIds.length
        after = userIds.at(-1) ?? ''
        if (after === '') return count
      }
    },
  }
}

export type Achievements = ReturnType<typeof achievements>
