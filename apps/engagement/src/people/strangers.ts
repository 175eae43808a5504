import type { Database } from '@palanquin/db/client'

/** They have a row a moment after their first flush, so these many at once are those of a flush that is being told. */
const STRANGERS_MAX = 10_000
const DEADLINE_MS = 8_000
/** Comparing 300,000 tracks with the people takes 0.2 s: what it found holds for five times as long as it took. */
const HOLDS_FOR_TIMES = 5

const STRANGERS = `
SELECT t.user_id AS "userId" FROM tracking.tracks AS t
WHERE NOT EXISTS (SELECT 1 FROM engagement.participants AS p WHERE p.user_id = t.user_id)
LIMIT ${STRANGERS_MAX}`

export type Strangers = () => Promise<readonly string[]>

/**
 * Who has a track and no row of their own yet: points of them were stored, and `track.advanced` is still on its way.
 * A small event is asked anew for every list. @throws StoreUnavailable
 */
export function strangersOf(db: Database): Strangers {
  let found: Promise<readonly string[]> | null = null
  let holdsUntilMs = 0

  const ask = async (): Promise<readonly string[]> => {
    const beganMs = performance.now()
    const rows = await db.query<{ userId: string }>(STRANGERS, [], { deadlineMs: DEADLINE_MS })
    const endedMs = performance.now()
    holdsUntilMs = endedMs + (endedMs - beganMs) * HOLDS_FOR_TIMES
    return rows.map(({ userId }) => userId)
  }
  return () => {
    if (found && performance.now() < holdsUntilMs) return found
    const asked = ask()
    // Nobody else may be handed a question that failed.
    asked.then(
      () => {
        found = asked
      },
      () => {
        found = null
      },
    )
    return asked
  }
}
