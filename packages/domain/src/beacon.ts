/** Beacons: the palanquin and the vehicles, each carried by several devices in turn. Web face, section 4. */
import Type, { type Static } from 'typebox'
import { Latitude, Longitude } from './degrees'
import { greatCircleKm, type Place } from './geo'
import { UserId } from './ids'
import { BothLanguages, InBothLanguages } from './languages'
import { Nullable } from './optional'
import { Iso } from './time'

export const BEACON_KINDS = ['palanquin', 'vanguard', 'rear', 'medical', 'shuttle', 'other'] as const
export const BeaconKind = Type.Enum([...BEACON_KINDS], { description: `one of ${BEACON_KINDS.join(', ')}` })
export type BeaconKind = Static<typeof BeaconKind>

const BEACON_NAME_CHARACTERS_MAX = 60
/** Sixteen volunteers in turn and some vehicles: more devices than this is a mistake. */
export const BEACON_DEVICES_MAX = 50

const BEACON_STATES = ['moving', 'resting', 'unknown'] as const
export const BeaconState = Type.Enum([...BEACON_STATES], { description: 'moving, resting or unknown' })
export type BeaconState = Static<typeof BeaconState>

/** Body of `POST /admin/beacons`. */
export const BeaconBody = Type.Object({
  kind: BeaconKind,
  name: BothLanguages({ max: BEACON_NAME_CHARACTERS_MAX, description: 'the name of the beacon' }),
  devices: Type.Array(UserId, {
    minItems: 1,
    maxItems: BEACON_DEVICES_MAX,
    description: `1 to ${BEACON_DEVICES_MAX} userIds of the devices that carry it`,
  }),
})
export type BeaconBody = Static<typeof BeaconBody>

export const BeaconPlace = Nullable(
  Type.Object({ county: InBothLanguages('the county'), town: InBothLanguages('the town') }),
  'county and town at this position; null outside of Taiwan',
)

/** A beacon as `GET /beacons` shows it. */
export const Beacon = Type.Object({
  id: Type.String({ description: 'identifier of the beacon' }),
  kind: BeaconKind,
  name: InBothLanguages('the name of the beacon'),
  lat: Latitude,
  lng: Longitude,
  recordedAt: Iso,
  accuracyM: Nullable(Type.Number(), 'accuracy of the fix in metres'),
  speedKmh: Nullable(Type.Number(), 'speed in km/h'),
  heading: Nullable(Type.Number(), 'direction of travel in degrees from north'),
  state: BeaconState,
  restingSince: Nullable(Iso, 'since when it rests; null while it does not'),
  place: BeaconPlace,
})
export type Beacon = Static<typeof Beacon>

/** A fix of one of a beacon's devices. */
export type DeviceFix = Place & { deviceId: string; recordedAtMs: number; accuracyM: number | null }

/** A fix of at most this accuracy may carry a beacon (web face, section 4). */
export const CARRYING_ACCURACY_M_MAX = 100
/** Web face, section 4. */
const CARRYING_AGE_MS_MAX = 30_000

/** The fix that shows where a beacon is, of the latest accurate ones of each device; null for none. */
export function carryingFix(
  fixes: readonly DeviceFix[],
  { carrier, nowMs }: { carrier: string | null; nowMs: number },
): DeviceFix | null {
  const accurate = fixes.filter(({ accuracyM }) => accuracyM === null || accuracyM <= CARRYING_ACCURACY_M_MAX)
  const kept = accurate.find(({ deviceId }) => deviceId === carrier)
  if (kept && nowMs - kept.recordedAtMs <= CARRYING_AGE_MS_MAX) return kept
  return accurate.reduce<DeviceFix | null>(
    (best, fix) => (best === null || fix.recordedAtMs > best.recordedAtMs ? fix : best),
    null,
  )
}

/** A beacon rests when it has stayed this long … */
const RESTING_MS_MIN = 5 * 60_000
/** … within this radius of where the stay began: GPS noise of a vehicle that stands. */
const RESTING_RADIUS_KM = 0.05
/** A fix older than this says nothing about motion any more. */
const UNKNOWN_MS_MIN = 10 * 60_000

export type Motion = { anchor: Place; anchorMs: number; latestMs: number }

/** The motion after another fix: the anchor is the place where the present stay began. */
export function motionAfter(motion: Motion | null, fix: Place & { recordedAtMs: number }): Motion {
  if (motion !== null && greatCircleKm({ from: motion.anchor, to: fix }) <= RESTING_RADIUS_KM)
    return { ...motion, latestMs: Math.max(motion.latestMs, fix.recordedAtMs) }
  return { anchor: { lat: fix.lat, lng: fix.lng }, anchorMs: fix.recordedAtMs, latestMs: fix.recordedAtMs }
}

/** What a beacon does at `nowMs`, and since when it rests. */
export function stateOf(
  motion: Motion,
  nowMs: number,
): { state: BeaconState; restingSinceMs: number | null } {
  if (nowMs - motion.latestMs > UNKNOWN_MS_MIN) return { state: 'unknown', restingSinceMs: null }
  const restsMs = motion.latestMs - motion.anchorMs
  return restsMs >= RESTING_MS_MIN
    ? { state: 'resting', restingSinceMs: motion.anchorMs }
    : { state: 'moving', restingSinceMs: null }
}
