import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { assembleProfile, withPresentCheckins } from './assemble-profile.ts'
import { basisOf } from './cache-entry.ts'
import { countPending, type PendingCheckin } from './pending-checkins.ts'
import type { Snapshot } from './snapshot.ts'

const SEED = 20261125
const CURSOR = '1764000000500-0'

const km = fc.double({ min: 0, max: 400, noNaN: true })
const checkin = fc.record({
  entryId: fc.integer({ min: 1_764_000_000_000, max: 1_764_000_001_000 }).map((ms) => `${ms}-0`),
  recordedAtMs: fc.integer({ min: 1_764_000_000_000, max: 1_764_000_000_009 }),
})
/** As tracking appends them: by their ids. */
const lists = fc
  .uniqueArray(checkin, { selector: ({ entryId }) => entryId, maxLength: 8 })
  .map((list) => list.toSorted((a, b) => a.entryId.localeCompare(b.entryId)))
const snapshots = fc.record({
  hasPhone: fc.boolean(),
  surveyCompleted: fc.boolean(),
  walkedKm: fc.oneof(km, fc.constantFrom(14.9999, 15, 44.99951)),
  motorizedKm: fc.oneof(km, fc.constant(0)),
  checkins: fc.nat(45),
  levelKm: fc.constantFrom('total', 'walked'),
})

test('a cached profile with the present check-ins is the one that its snapshot would give', () => {
  fc.assert(
    fc.property(snapshots, lists, fc.nat(8), (of, list, known) => {
      const { levelKm, walkedKm, motorizedKm, checkins } = of
      const snapshot: Snapshot = {
        participant: {
          displayName: '林媽媽',
          pictureUrl: null,
          language: 'zh-TW',
          status: 'active',
          consent: true,
          consentAtMs: 0,
          visibility: 'named',
          phone: of.hasPhone ? '+886•••••678' : null,
          surveyCompleted: of.surveyCompleted,
          survey: null,
          updatedAtMs: 1_763_999_999_000,
        },
        track: { walkedKm, motorizedKm, checkins, lastSeenAtMs: 1_764_000_000_100 },
        unsettled: false,
        photos: 1,
        cursor: CURSOR,
        pendingCheckins: 0,
      }
      const assembled = (pending: readonly PendingCheckin[]) => {
        const counted = { ...snapshot, pendingCheckins: countPending(pending, CURSOR) }
        const profile = assembleProfile('U1', { snapshot: counted, pending, isBuffered: false, levelKm })
        if (!profile) throw new Error('a participant with a row has a profile')
        return { profile, basis: basisOf(counted) }
      }
      const cached = assembled(list.slice(0, known))
      expect(withPresentCheckins(cached, { pending: list, levelKm })).toEqual(assembled(list).profile)
    }),
    { seed: SEED, numRuns: 300 },
  )
})
