import type { Beacon, DeviceFix } from '@palanquin/domain/beacon'
import type { PublicBody } from '@palanquin/service/http/public-response'
import type { Log } from '@palanquin/service/log'
import type { Part } from '@palanquin/service/run'
import { schedule } from '@palanquin/service/schedule'
import type { ReadBuffered } from '../tracks/buffered.ts'
import type { BeaconStore, FollowedBeacon } from './store.ts'
import { BeaconTracker } from './tracker.ts'
import { TRAIL_MS, Trail } from './trail.ts'
import { TrailBody } from './trail-body.ts'
import { viewsOf } from './view.ts'

/** An organiser's change, and what devices have sent, show within this time. */
const READ_EVERY_MS = 2_000
const MINUTE_MS = 60_000

export type Beacons = ReturnType<typeof openBeacons>

type Followed = { stored: FollowedBeacon; tracker: BeaconTracker; trail: Trail; body: TrailBody }

/**
 * The beacons of the activity as they move: who carries which is read from PostgreSQL, where they are from the fixes of
 * their devices, live and stored. What a device recorded or sent before it was given to a beacon is not the beacon's.
 * @param onDevicesChange called with every device that carries a beacon now or did before
 */
export function openBeacons({
  store,
  now,
  log,
  readBuffered,
  onDevicesChange,
}: {
  store: BeaconStore
  now: () => number
  log: Log
  readBuffered: ReadBuffered
  onDevicesChange: (devices: Iterable<string>) => void
}) {
  const followed = new Map<string, Followed>()
  let byDevice = new Map<string, Followed>()
  let known = ''

  const isOf = ({ stored }: Followed, { deviceId, recordedAtMs }: DeviceFix): boolean =>
    recordedAtMs >= (stored.devices.get(deviceId) ?? Number.POSITIVE_INFINITY)

  /** Takes a fix in; one that is no beacon's is none of ours. */
  const add = (fix: DeviceFix, nowMs = now()): void => {
    const beacon = byDevice.get(fix.deviceId)
    if (!beacon || !isOf(beacon, fix)) return
    beacon.tracker.add(fix, nowMs)
    beacon.trail.add(fix)
  }

  /** The same, unless it came before the giving: the clock of a phone may be ahead. */
  const addReceived = (fix: DeviceFix, receivedAtMs: number): void => {
    const since = byDevice.get(fix.deviceId)?.stored.devices.get(fix.deviceId)
    if (since !== undefined && receivedAtMs >= since) add(fix)
  }

  const follow = async (): Promise<void> => {
    const list = await store.followed()
    const text = JSON.stringify(list, (_, value) => (value instanceof Map ? [...value] : value))
    if (text === known) return readFlushed()
    for (const id of followed.keys()) if (!list.some((beacon) => beacon.id === id)) followed.delete(id)
    for (const stored of list) {
      const {
        tracker = new BeaconTracker(),
        trail = new Trail(),
        body = new TrailBody([]),
      } = followed.get(stored.id) ?? {}
      const beacon = { stored, tracker, trail, body }
      followed.set(stored.id, beacon)
      tracker.keepDevices(new Set(stored.devices.keys()))
      trail.keep((fix) => isOf(beacon, fix))
    }
    const before = byDevice
    byDevice = new Map(
      [...followed.values()].flatMap((beacon) => [...beacon.stored.devices.keys()].map((id) => [id, beacon])),
    )
    await catchUp()
    known = text
    onDevicesChange(new Set([...before.keys(), ...byDevice.keys()]))
    for (const [device, { stored }] of byDevice)
      if (before.get(device)?.stored.devices.get(device) !== stored.devices.get(device))
        await addBuffered(device)
  }

  /** What a device sent between its giving and the moment when this process heard of that. */
  const addBuffered = async (deviceId: string): Promise<void> => {
    for (const { lat, lng, accuracy: accuracyM, recordedAt: recordedAtMs, receivedAt } of await readBuffered(
      deviceId,
    ))
      addReceived({ deviceId, lat, lng, accuracyM, recordedAtMs }, receivedAt)
  }

  /** What of devices was stored before this process knew of them. */
  const catchUp = async (): Promise<void> => {
    for (const { stored } of followed.values()) {
      const wanted = [...stored.devices].map(([device, since]) => ({ device, since, from: since }))
      for (const fix of await store.storedFixes(wanted, new Date(now() - TRAIL_MS)))
        add(fix, fix.recordedAtMs)
    }
  }

  /** A flush that is faster than the reader of the streams takes a fix away before it was seen. */
  const readFlushed = async (): Promise<void> => {
    const unseen = [...byDevice].map(([device, { stored, tracker }]) => {
      const since = stored.devices.get(device) ?? 0
      return { device, since, from: Math.max(since, (tracker.latestOf(device)?.recordedAtMs ?? 0) + 1) }
    })
    if (unseen.length === 0) return
    for (const fix of await store.storedFixes(unseen, new Date(now() - TRAIL_MS))) add(fix)
  }

  const refresh = async (): Promise<void> => {
    await follow()
    for (const beacon of followed.values())
      if (beacon.trail.update(now())) beacon.body = new TrailBody(beacon.trail.way())
  }

  const poll = schedule(log, [{ name: 'beacons', everyMs: READ_EVERY_MS, run: refresh }])
  const part: Part = {
    name: 'beacons',
    /** Who carries is known before the streams are read; without PostgreSQL they are read all the same. */
    start: async () => {
      await Promise.allSettled([refresh()])
      await poll.start?.()
    },
    stop: () => poll.stop?.(),
  }
  return {
    part,
    refresh,
    add: addReceived,
    /** Whether the beacons were read: before that the list is not known. */
    isLoaded: (): boolean => known !== '',
    list: (): Beacon[] => viewsOf(followed.values(), now()),
    /** Whether a participant's device carries a beacon: it is not in the crowd then. */
    isDevice: (userId: string): boolean => byDevice.has(userId),
    devices: (): Iterable<string> => byDevice.keys(),
    /** The way of the last twelve hours, or of them since a time that is rounded down to a minute; null without such a beacon. */
    trail: (id: string, sinceMs: number | null): PublicBody | null => {
      const fromMs = Math.max(now() - TRAIL_MS, sinceMs ?? 0)
      return followed.get(id)?.body.since(Math.floor(fromMs / MINUTE_MS) * MINUTE_MS) ?? null
    },
  }
}
