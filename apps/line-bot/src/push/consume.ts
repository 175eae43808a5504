import type { Database } from '@palanquin/db/client'
import type { DomainEvent } from '@palanquin/domain/events'
import type { EventHandlers } from '@palanquin/events/delivery'
import Type from 'typebox'
import { Compile } from 'typebox/compile'
import { LINE_ID } from './audience.ts'
import type { PushStore } from './store.ts'
import { type EventName, paused, resumed, summaryForAll, type Totals } from './wording.ts'

const totals = Compile(
  Type.Object({
    participants: Type.Number(),
    checkins: Type.Number(),
    distanceKm: Type.Number(),
    unlocked: Type.Number(),
  }),
)

const Outcome = Type.Object({ outcome: Type.Unknown(), asOf: Type.String() })

const lineId = new RegExp(LINE_ID)

/** Engagement's table (docs/architecture.md), and the time that decides who had unlocked the achievement, the same for both summaries. */
const OUTCOME = `
SELECT outcome, coalesce((SELECT audience ->> 'asOf' FROM line.pushes WHERE cause = $1),
         to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')) AS "asOf"
  FROM engagement.activity WHERE id = 1`

/**
 * Whether the final summary covers an achievement that was unlocked at a time: what the final flush unlocked is published
 * before `activity.ended`, and may be consumed after it.
 */
const COVERED_BY_SUMMARY = `
SELECT 1 AS yes FROM engagement.activity WHERE id = 1 AND status = 'ended' AND NOT EXISTS (
  SELECT FROM line.pushes WHERE personal = 'final-summary' AND (audience ->> 'asOf')::timestamptz < $1::timestamptz)`

export type AnnouncementOptions = {
  db: Pick<Database, 'query' | 'queryAs'>
  store: Pick<PushStore, 'create'>
  /** Wakes the sender. */
  made: () => void
  name: EventName
  timeZone: string
  congratulates: boolean
}

/**
 * The pushes that domain events cause. Each has the event's id as its cause, so that an event which is delivered again
 * causes no second push.
 */
export function announcements({
  db,
  store,
  made,
  name,
  timeZone,
  congratulates,
}: AnnouncementOptions): EventHandlers {
  const by = 'activity'
  return {
    'activity.changed': async ({ id, data: { status, since } }: DomainEvent<'activity.changed'>) => {
      if (status === 'ended') return // the summaries follow `activity.ended`, with the final figures
      const at = { iso: since, timeZone }
      await store.create({
        cause: `activity.changed:${id}`,
        by,
        audience: { to: 'volunteers' },
        messages: status === 'paused' ? paused(name, at) : resumed(name, at),
        urgent: true,
        honoursStop: false,
      })
      made()
    },
    'activity.ended': async ({ id }: DomainEvent<'activity.ended'>) => {
      const cause = `activity.ended:${id}:all`
      const [row] = await db.queryAs(Outcome, OUTCOME, [cause])
      if (!row) throw new Error('the activity has no row')
      const { asOf } = row
      const figures: Totals | null = totals.Check(row.outcome) ? row.outcome : null
      const final = { by, urgent: true, honoursStop: true }
      await store.create({
        ...final,
        cause,
        audience: { to: 'others', asOf },
        messages: summaryForAll(name, figures),
      })
      await store.create({
        ...final,
        cause: `activity.ended:${id}:unlocked`,
        audience: { to: 'unlocked', asOf },
        messages: [],
        personal: 'final-summary',
      })
      made()
    },
    'achievement.unlocked': async ({ id, data: { userId, at } }: DomainEvent<'achievement.unlocked'>) => {
      if (!congratulates || !lineId.test(userId)) return
      if ((await db.query(COVERED_BY_SUMMARY, [at])).length > 0) return
      await store.create({
        cause: `achievement.unlocked:${id}`,
        by,
        audience: { to: 'users', userIds: [userId] },
        messages: [],
        personal: 'congratulation',
        honoursStop: true,
      })
      made()
    },
  }
}
