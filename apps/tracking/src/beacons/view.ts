import type { Beacon, BeaconKind } from '@palanquin/domain/beacon'
import { toIso } from '@palanquin/domain/time'
import type { FollowedBeacon } from './store.ts'
import { townAt } from './town.ts'
import type { BeaconTracker } from './tracker.ts'

type Tracked = { stored: Omit<FollowedBeacon, 'devices'>; tracker: BeaconTracker }

/** The palanquins first, then in the order in which they were added. */
const rankOf = (kind: BeaconKind): number => (kind === 'palanquin' ? 0 : 1)

/** The beacons that have a position, as everybody sees them. */
export const viewsOf = (tracked: Iterable<Tracked>, nowMs: number): Beacon[] =>
  [...tracked]
    .sort((a, b) => rankOf(a.stored.kind) - rankOf(b.stored.kind))
    .flatMap(({ stored, tracker }) => {
      const view = tracker.view(nowMs)
      if (view === null) return []
      const { fix, state, restingSinceMs, speedKmh, heading } = view
      return {
        id: stored.id,
        kind: stored.kind,
        name: stored.name,
        lat: fix.lat,
        lng: fix.lng,
        recordedAt: toIso(fix.recordedAtMs),
        accuracyM: fix.accuracyM,
        speedKmh,
        heading,
        state,
        restingSince: restingSinceMs === null ? null : toIso(restingSinceMs),
        place: townAt(fix),
      }
    })
