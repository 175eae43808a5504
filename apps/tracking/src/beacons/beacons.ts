import { type Beacon, type BeaconKind, carryingFix, type DeviceFix } from '@palanquin/domain/beacon'
import { simplifiedIndices } from '@palanquin/domain/simplify'
import { toIso } from '@palanquin/domain/time'
import type { Log } from '@palanquin/service/log'
import type { Part } from '@palanquin/service/run'
import { schedule } from '@palanquin/service/schedule'
import type { BeaconStore, StoredBeacon } from './store.ts'
import { townAt } from './town.ts'
import { BeaconTracker } from './tracker.ts'

/** An organiser's change shows within this time. */
const READ_EVERY_MS = 2_000
/** A trail shows the last half day (web face, section 3). */
const TRAIL_MS = 12 * 3_600_000
/** Trails are simplified to this (web face, section 4). */
const TRAIL_TOLERANCE_M = 10

export type Beacons = ReturnType<typeof openBeacons>
export type TrailPoint = { lat: number; lng: number; recordedAtMs: number }

type Followed = { stored: StoredBeacon; tracker: BeaconTracker; recent: DeviceFix[] }

/** The palanquins first, then in the order in which they were added. */
const isPalanquin = (kind: BeaconKind): number => (kind === 'palanquin' ? 0 : 1)

/**
 * The beacons of the activity as they move: who carries which is read from PostgreSQL, where they are from the fixes of
 * their devices, live and stored.
 * @param onDevicesChange called with every device that carries a beacon now or did before
 */
export function openBeacons({
  store,
  now,
  log,
  latestOf,
  onDevicesChange,
}: {
  store: BeaconStore
  now: () => number
  log: Log
  /** The latest position that a device sent, flushed or not. */
  latestOf: (userId: string) => DeviceFix | undefined
  onDevicesChange: (devices: Iterable<string>) => void
}) {
  const followed = new Map<string, Followed>()
  let byDevice = new Map<string, Followed>()
  let known = ''

  const refresh = async (): Promise<void> => {
    const list = await store.list()
    const text = JSON.stringify(list)
    if (text === known) return readFlushed()
    for (const id of followed.keys()) if (!list.some((beacon) => beacon.id === id)) followed.delete(id)
    for (const stored of list) {
      const present = followed.get(stored.id)
      if (present) {
        present.stored = stored
        present.tracker.keepDevices(new Set(stored.devices))
      } else followed.set(stored.id, { stored, tracker: new BeaconTracker(), recent: [] })
    }
    const before = byDevice
    byDevice = new Map(
      [...followed.values()].flatMap((beacon) => beacon.stored.devices.map((device) => [device, beacon])),
    )
    for (const beacon of followed.values()) await catchUp(beacon)
    known = text
    onDevicesChange(new Set([...before.keys(), ...byDevice.keys()]))
  }

  /** A flush that is faster than the reader of the streams takes a fix away before it was seen. */
  const readFlushed = async (): Promise<void> => {
    if (byDevice.size === 0) return
    for (const fix of await store.latestCarried([...byDevice.keys()], new Date(now() - TRAIL_MS)))
      byDevice.get(fix.deviceId)?.tracker.add(fix, now())
  }

  /** What its devices sent before this process knew of it. */
  const catchUp = async ({ stored, tracker }: Followed): Promise<void> => {
    for (const fix of await store.fixesSince(stored.devices, new Date(now() - TRAIL_MS)))
      tracker.add(fix, fix.recordedAtMs)
    for (const device of stored.devices) {
      const latest = latestOf(device)
      if (latest) tracker.add(latest, now())
    }
  }

  const list = (): Beacon[] => {
    const nowMs = now()
    return [...followed.values()]
      .sort((a, b) => isPalanquin(a.stored.kind) - isPalanquin(b.stored.kind))
      .flatMap(({ stored, tracker }) => {
        const view = tracker.view(nowMs)
        if (view === null) return []
        const { fix, state, restingSinceMs, speedKmh, heading } = view
        return {
          ...{ id: stored.id, kind: stored.kind, name: stored.name, lat: fix.lat, lng: fix.lng },
          recordedAt: toIso(fix.recordedAtMs),
          ...{ accuracyM: fix.accuracyM, speedKmh, heading, state },
          restingSince: restingSinceMs === null ? null : toIso(restingSinceMs),
          place: townAt(fix),
        }
      })
  }

  const poll = schedule(log, [{ name: 'beacons', everyMs: READ_EVERY_MS, run: refresh }])
  const part: Part = { name: 'beacons', start: () => poll.start?.(), stop: () => poll.stop?.() }
  return {
    part,
    refresh,
    /** Whether the beacons were read: before that the list is not known. */
    isLoaded: (): boolean => known !== '',
    list,
    /** Whether a participant's device carries a beacon: it is not in the crowd then. */
    isDevice: (userId: string): boolean => byDevice.has(userId),
    /** Takes a fix of a device in; any other participant's is none of ours. */
    add: (fix: DeviceFix): void => {
      const beacon = byDevice.get(fix.deviceId)
      if (!beacon) return
      beacon.tracker.add(fix, now())
      beacon.recent.push(fix)
      const oldest = now() - TRAIL_MS
      if ((beacon.recent[0]?.recordedAtMs ?? oldest) < oldest) beacon.recent.shift()
    },
    /** The way of the last twelve hours, simplified; null where there is no such beacon. */
    trail: async (id: string, sinceMs: number | null): Promise<TrailPoint[] | null> => {
      const beacon = followed.get(id)
      if (!beacon) return null
      const fromMs = Math.max(now() - TRAIL_MS, sinceMs ?? 0)
      const stored = await store.fixesSince(beacon.stored.devices, new Date(fromMs))
      const all = [...stored, ...beacon.recent.filter(({ recordedAtMs }) => recordedAtMs >= fromMs)]
      return simplified(carried(all))
    },
  }
}

/** The fixes by which the beacon was carried, in order of time. */
function carried(fixes: readonly DeviceFix[]): DeviceFix[] {
  const latest = new Map<string, DeviceFix>()
  const way: DeviceFix[] = []
  for (const fix of fixes.toSorted((a, b) => a.recordedAtMs - b.recordedAtMs)) {
    latest.set(fix.deviceId, fix)
    const last = way.at(-1)
    const next = carryingFix([...latest.values()], {
      carrier: last?.deviceId ?? null,
      nowMs: fix.recordedAtMs,
    })
    if (next !== null && (last === undefined || next.recordedAtMs > last.recordedAtMs)) way.push(next)
  }
  return way
}

const simplified = (way: readonly DeviceFix[]): TrailPoint[] =>
  simplifiedIndices(
    way.map(({ lng, lat }) => [lng, lat] as const),
    TRAIL_TOLERANCE_M,
  ).flatMap((at) => way[at] ?? [])
