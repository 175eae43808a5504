import type { Database } from '@palanquin/db/client'
import { ROLE_LEVEL, type Role } from '@palanquin/domain/role'
import { round3 } from '@palanquin/domain/round'
import { INSTANT_EXPECTED, Iso, toIso } from '@palanquin/domain/time'
import { ApiError } from '@palanquin/service/http/api-error'
import { ok } from '@palanquin/service/http/app'
import { describe } from '@palanquin/service/http/openapi'
import { text } from '@palanquin/service/http/standard-schema'
import { Elysia } from 'elysia'
import Type, { type Static } from 'typebox'
import { actorFor, roleOf } from '../../roles/caller.ts'
import { rangeOf } from './range.ts'
import { type BucketRow, type EventRow, readBuckets, readEvents } from './store.ts'

/** Fields of an event's detail that name participants, or may. */
const NAMING_FIELDS = new Set(['userId', 'userIds', 'displayName', 'phone', 'asked', 'reason'])

/** A detail without fields that name participants or have the words of a search, at any depth. */
function withoutNames(detail: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(detail)
      .filter(([name]) => !NAMING_FIELDS.has(name))
      .map(([name, value]) => [name, isFields(value) ? withoutNames(value) : value]),
  )
}

const isFields = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Forty days in hours: a bound on the response. */
const BUCKETS_MAX = 1_000
const EVENTS_MAX = 1_000

const Bucket = Type.Object({
  start: Iso,
  checkins: Type.Integer({ minimum: 0, description: 'check-ins of this hour or day' }),
  points: Type.Integer({ minimum: 0, description: 'stored points' }),
  activeUsers: Type.Integer({ minimum: 0, description: 'participants with a point in this hour or day' }),
  distanceKm: Type.Number({ minimum: 0, description: 'kilometres that count' }),
})
const Event = Type.Object({
  at: Iso,
  type: Type.String({ description: 'what was done: activity.changed, push.sent …' }),
  by: Type.String({ description: 'the role of the token, or participant' }),
  detail: Type.Record(Type.String(), Type.Unknown(), { description: 'facts about it, by its type' }),
})
const Timeline = Type.Object({
  buckets: Type.Array(Bucket, { description: 'hours or days, the earliest first' }),
  events: Type.Array(Event, { description: 'what administrators did, the earliest first' }),
})

const Instant = (what: string) =>
  Type.Optional(Type.String({ maxLength: 64, description: `${INSTANT_EXPECTED}${what}` }))
const TimelineQuery = Type.Object({
  from: Instant(' (left out: from the beginning)'),
  to: Instant(', later than from (left out: up to the end)'),
  bucket: Type.Optional(Type.Enum(['hour', 'day'], { description: 'hour (default) or day' })),
})

const EXAMPLE = {
  buckets: [
    {
      start: '2026-05-01T14:00:00.000Z',
      checkins: 812,
      points: 190_233,
      activeUsers: 4_120,
      distanceKm: 9_733.21,
    },
  ],
  events: [
    { at: '2026-05-01T15:00:00.000Z', type: 'activity.changed', by: 'manager', detail: { status: 'paused' } },
  ],
}

const bucketOf = ({ start, checkins, points, activeUsers, distanceKm }: BucketRow) => ({
  start: toIso(start.getTime()),
  checkins,
  points,
  activeUsers,
  distanceKm: round3(Math.max(0, distanceKm)),
})

/** Roles that may not list participants do not see whom an entry is about. */
const eventOf = ({ at, type, by, detail }: EventRow, role: Role) => ({
  at: toIso(at.getTime()),
  type,
  by: actorFor(role, by),
  detail: ROLE_LEVEL[role] >= ROLE_LEVEL.manager ? detail : withoutNames(detail),
})

/** Hours or days of the event, and the audit. Contract section 5. */
export const timelineRoutes = ({ db, timeZone }: { db: Database; timeZone: string }) =>
  new Elysia({ name: 'timeline' }).get(
    '/admin/timeline',
    async ({ request, query }) => {
      const role = roleOf(request.headers, 'volunteer')
      if (role instanceof ApiError) return role
      const timeline = await readTimeline({ db, timeZone }, query)
      if (timeline instanceof ApiError) return timeline
      return ok({
        buckets: timeline.buckets.map(bucketOf),
        events: timeline.events.map((event) => eventOf(event, role)),
      })
    },
    {
      query: text(TimelineQuery),
      detail: describe({
        summary: 'The event in hours or days, and what administrators did',
        description:
          'Hours and days are those of `EVENT_TIMEZONE`; each that the range touches is counted whole, and zeros between the first and the last with data are included. Points count once they are stored (every five minutes), in the hour in which they were recorded. Without `from` and `to` the latest 1,000 hours or days; a longer range is 400. `events` are the latest 1,000 of the range; a volunteer does not see whom they are about.',
        tags: ['administration'],
        answers: { 200: { description: 'the timeline', data: Timeline, example: EXAMPLE } },
        apiErrors: ['invalid', 'unauthorized', 'unavailable'],
      }),
    },
  )

async function readTimeline(
  { db, timeZone }: { db: Database; timeZone: string },
  { bucket = 'hour', ...query }: Static<typeof TimelineQuery>,
): Promise<{ buckets: BucketRow[]; events: EventRow[] } | ApiError> {
  const range = rangeOf(query)
  if (range instanceof ApiError) return range
  const [buckets, events] = await Promise.all([
    readBuckets(db, { ...range, bucket, timeZone, count: BUCKETS_MAX + 1 }),
    readEvents(db, { ...range, count: EVENTS_MAX }),
  ])
  const isWholeEvent = range.fromIso === null && range.toIso === null
  if (buckets.length > BUCKETS_MAX && !isWholeEvent)
    return new ApiError(
      'invalid',
      `from: expected a range of at most ${BUCKETS_MAX} ${bucket}s; ask for a shorter one${bucket === 'hour' ? ', or for bucket=day' : ''}`,
    )
  return { buckets: buckets.slice(-BUCKETS_MAX), events }
}
