import type { Database } from '@palanquin/db/client'
import Type from 'typebox'
import { UNLOCKED_EVENT, unlocking } from './due.ts'

const Unlocked = Type.Object({ userId: Type.String() })

/** Keeps one statement short after days without a sweep. */
const SWEEP_BATCH = 1_000

const withEvent = (unlocked: string) => `
WITH ${unlocked}, emitted AS (
  INSERT INTO engagement.outbox (type, data) SELECT 'achievement.unlocked', ${UNLOCKED_EVENT} FROM unlocked
)
SELECT user_id AS "userId" FROM unlocked ORDER BY user_id`

const UNLOCK = withEvent(unlocking('p.user_id = ANY ($1::text[])'))
const SWEEP = withEvent(unlocking('p.user_id > $1::text', `LIMIT ${SWEEP_BATCH}`))

/** Emits `achievement.unlocked` once; every writer of a condition calls it after its write. @throws StoreUnavailable */
export function achievements(db: Pick<Database, 'queryAs'>) {
  const unlocked = async (statement: string, parameter: string | readonly string[]): Promise<string[]> =>
    (await db.queryAs(Unlocked, statement, [parameter])).map(({ userId }) => userId)
  return {
    /** Returns those of these participants whom this call unlocked. */
    unlock: (userIds: readonly string[]): Promise<string[]> => unlocked(UNLOCK, userIds),
    /** Unlocks all who are due, in place of lost events; returns how many. */
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
