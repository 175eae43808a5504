import type { Database } from '@palanquin/db/client'
import { ApiError } from '@palanquin/service/http/api-error'
import { ok } from '@palanquin/service/http/app'
import { describe } from '@palanquin/service/http/openapi'
import { memoize } from '@palanquin/service/memoize'
import { Elysia } from 'elysia'
import { roleOf } from '../roles/caller.ts'
import { aggregate, CarbonAggregate, MODES, UNKNOWN_AS } from './aggregate.ts'
import { readSums } from './store.ts'

/** Above this the sums take up to a second, so they are memoized. */
const MANY_PARTICIPANTS = 20_000
const TTL_MS = 5_000

const EXAMPLE = {
  participants: 2,
  totalKg: 44.256,
  avoidedKg: 3.688,
  byComponent: { travelKg: 26.209, trackedKg: 0.029, waterKg: 0.329, recycleKg: -0.011, hotelKg: 17.7 },
  byMode: MODES.map((mode) => {
    if (mode === 'hsr') return { mode, participants: 1, km: 330, kg: 24.707 }
    if (mode === 'bus') return { mode, participants: 1, km: 12.5, kg: 1.502 }
    return { mode, participants: 0, km: 0, kg: 0 }
  }),
  byDay: [{ day: '2026-05-01', motorizedKm: 0.245, walkedKm: 12.1, kg: 0.029 }],
}

/** The carbon footprint of the event. Contract section 5. */
export function carbonRoutes({ db, timeZone }: { db: Database; timeZone: string }) {
  const read = memoize(
    async () => aggregate(await readSums(db, { modes: MODES, unknownAs: UNKNOWN_AS, timeZone })),
    { ttlMs: ({ participants }) => (participants > MANY_PARTICIPANTS ? TTL_MS : 0) },
  )
  return new Elysia({ name: 'carbon' }).get(
    '/admin/carbon',
    async ({ request }) => {
      const role = roleOf(request.headers, 'manager')
      return role instanceof ApiError ? role : ok(await read())
    },
    {
      detail: describe({
        summary: 'The carbon footprint of the event',
        description:
          'The sum of all profiles. `byMode` has the kilometres of the surveys (q3) for every mode of the specification; any other counts as bus, in its row. `byDay` has what was tracked, by day of `EVENT_TIMEZONE`. Above 20,000 participants the response may be five seconds old.',
        tags: ['administration'],
        answers: { 200: { description: 'the footprint', data: CarbonAggregate, example: EXAMPLE } },
        apiErrors: ['unauthorized', 'forbidden', 'unavailable'],
      }),
    },
  )
}
