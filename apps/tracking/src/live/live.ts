import type { Database } from '@palanquin/db/client'
import type { DeviceFix } from '@palanquin/domain/beacon'
import { COUNTED_AFTER_MS } from '@palanquin/domain/density'
import type { Place } from '@palanquin/domain/geo'
import type { LevelKm } from '@palanquin/domain/level'
import type { Log } from '@palanquin/service/log'
import { counter, type Metrics, readGauge } from '@palanquin/service/metrics'
import type { Redis } from '@palanquin/service/redis'
import type { Part } from '@palanquin/service/run'
import type { JoinedDevices } from '../access/joined-devices.ts'
import type { Participants } from '../access/participants.ts'
import { createBoundedQueue } from '../bounded-queue.ts'
import { NO_SLOT } from '../people/people.ts'
import { createEventStreams } from './event-streams/event-streams.ts'
import { createLiveMap, type LiveMap } from './positions/live-map.ts'
import { SHOWN } from './positions/position-columns.ts'
import { publicStateOf } from './public-state.ts'
import { createMapResponses } from './responses/responses.ts'
import { statesOf } from './responses/updates.ts'
import { followPointStreams } from './sources/point-streams.ts'
import { followStoredTracks } from './sources/stored-tracks.ts'
import { unregisteredOf } from './unregistered.ts'

/** A map takes some milliseconds to a tenth of a second to build. */
const BUILDS_CONCURRENCY = 2
const BUILDS_WAITING_MAX = 16

export type LiveOptions = {
  db: Database
  /** A client of its own, as its reads block. */
  blocking: Redis
  participants: Participants
  joinedDevices: Pick<JoinedDevices, 'ownerOf'>
  pseudonymSecret: string
  /** Which kilometres a level counts. */
  levelKm: LevelKm
  /** A device of a beacon is not in the crowd. */
  isBeaconDevice?: (userId: string) => boolean
  beaconDevices?: () => Iterable<string>
  /** Called with every point of the streams that a device of a beacon sent. */
  onFix?: (fix: DeviceFix, receivedAtMs: number) => void
  metrics: Metrics
  now: () => number
  log: Log
}

/** The live map of this process: its sources, and the responses built from it. */
export function openLive({
  db,
  blocking,
  participants,
  joinedDevices: { ownerOf },
  pseudonymSecret,
  levelKm,
  isBeaconDevice = () => false,
  beaconDevices = () => [],
  onFix = () => {},
  metrics,
  now,
  log,
}: LiveOptions) {
  const stateOf = (userId: string) =>
    publicStateOf(participants.get(userId), { isDevice: isBeaconDevice(userId) })
  const { columns, asOf } = participants
  const map = createLiveMap({ people: columns.people, pseudonymSecret, stateOf, asOf })
  const view = { map, participants: columns }
  /** What still comes under the id of a joined device is the person's with the next flush. */
  const ofOwners: LiveMap = {
    ...map,
    update: (userId, update) => (ownerOf(userId) === userId ? map.update(userId, update) : NO_SLOT),
  }
  const tracks = followStoredTracks({ db, map: ofOwners, levelKm, log })
  const points = followPointStreams({
    blocking,
    map: ofOwners,
    devices: { has: isBeaconDevice, onFix },
    onGap: tracks.refresh,
    log,
  })
  const refused = counter(metrics, {
    name: 'palanquin_map_refused_total',
    help: 'maps that were not built because too many waited',
  })
  const builds = createBoundedQueue({
    concurrency: BUILDS_CONCURRENCY,
    waitingMax: BUILDS_WAITING_MAX,
    busyMessage: 'Too many maps are being built right now; please try again in a moment.',
    onBusy: () => refused.inc(),
  })
  const responses = createMapResponses({ view, builds })
  const streams = createEventStreams({ view, builds })
  participants.onChange(map.participantChanged)
  readGauge(metrics, {
    name: 'palanquin_map_positions',
    help: 'participants whose position is known',
    read: () => map.slots.count({ includeHidden: true }),
  })
  readGauge(metrics, {
    name: 'palanquin_map_streams',
    help: 'event streams that are open',
    read: streams.size,
  })

  /** Whether every source has been read: before that a response would lack participants. */
  const isReady = (): boolean => {
    const ready = tracks.isLoaded() && participants.isKnown() && points.hasCaughtUp()
    if (ready) map.changes.seed(statesOf(view))
    return ready
  }

  const placeOf = (slot: number): Place => ({
    lat: map.columns.lat[slot] ?? 0,
    lng: map.columns.lng[slot] ?? 0,
  })

  const positionsBut = function* (without: ReadonlySet<number>) {
    for (const slot of map.slots.all())
      if (!without.has(slot))
        yield {
          ...placeOf(slot),
          get userId() {
            return map.people.idOf(slot)
          },
        }
  }

  return {
    responses,
    streams,
    /** Reads the totals of a flush now instead of at the next poll. */
    refresh: tracks.refresh,
    erase: map.erase,
    join: map.join,
    participantChanged: map.participantChanged,
    positionOf: (userId: string) => map.get(userId),
    /** The latest position of every participant. */
    positions: () => positionsBut(new Set()),
    /** The same without those whose device carries a beacon. */
    crowd: () => positionsBut(new Set([...beaconDevices()].map((device) => map.slots.slotOf(device)))),
    /** Where those are who are counted in public. */
    countedPlaces: function* () {
      const sinceS = (now() - COUNTED_AFTER_MS) / 1_000
      for (const slot of map.slots.all())
        if (map.columns.shows(slot, SHOWN.counted) && (map.columns.firstS[slot] ?? 0) <= sinceS)
          yield placeOf(slot)
    },
    hasWithdrawn: (userId: string): boolean => participants.get(userId)?.status === 'withdrawn',
    /** Who sent points and is not registered as a participant yet. */
    unregistered: unregisteredOf({ map, participants: columns, isKnown: participants.isKnown }),
    /** Whether the participant's position is known. */
    has: map.has,
    isReady,
    sources: [tracks, points] satisfies Part[],
  }
}
