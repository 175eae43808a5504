import type { DeviceFix } from '@palanquin/domain/beacon'
import { SHARD_COUNT } from '@palanquin/domain/ids'
import { withDeadline } from '@palanquin/service/deadline'
import type { Log } from '@palanquin/service/log'
import type { Redis } from '@palanquin/service/redis'
import type { StreamEntries } from '@palanquin/service/redis-commands'
import { decodeEntry } from '../../buffer/decode.ts'
import { decodeLatest } from '../../buffer/decode-latest.ts'
import { fieldsOf } from '../../buffer/entry.ts'
import { BEFORE_ALL, compareEntryIds } from '../../buffer/entry-id.ts'
import { pointsKey } from '../../buffer/keys.ts'
import type { Entry } from '../../buffer/read.ts'
import { NO_SLOT } from '../../people/people.ts'
import { entryNumber } from '../positions/cursor.ts'
import type { LiveMap } from '../positions/live-map.ts'

/** A blocking read cannot be interrupted, so this bounds how long a stop takes. */
const BLOCK_MS = 500
const BLOCK_DEADLINE_MS = BLOCK_MS + 3_000
const ENTRIES_PER_SHARD = 250
const RETRY_MS = 250
/**
 * Entries gather for this long between two reads: a read for each entry would cost Redis and this process more than the
 * check-in itself. Points are to be shown within 2 s.
 */
const GATHER_MS = 50
/** A connection that is still being opened does not mean that Redis is away. */
const CONNECT_MS_MAX = 2_000
/** Every so many reads the ids are compared with the streams: Redis may have come back with an older clock. */
const READS_BETWEEN_CHECKS = 20

const KEYS = Array.from({ length: SHARD_COUNT }, (_, shard) => pointsKey(shard))
const SHARD_OF_KEY = new Map(KEYS.map((key, shard) => [key, shard]))

/** Of those that carry a beacon all points are wanted, as their way is shown. */
type Devices = { has: (userId: string) => boolean; onFix: (fix: DeviceFix, receivedAtMs: number) => void }

/**
 * Follows the buffer streams of all shards from their heads and brings every entry to the map. `onGap` is called before it
 * continues after an outage of Redis: what was flushed meanwhile is in PostgreSQL alone.
 */
export function followPointStreams({
  blocking,
  map,
  devices,
  onGap,
  log,
}: {
  blocking: Redis
  map: LiveMap
  devices: Devices
  onGap: () => Promise<void>
  log: Log
}) {
  const lastIds: string[] = KEYS.map(() => BEFORE_ALL)
  let stopped = false
  let running: Promise<void> | undefined
  let away = false
  let caughtUp = false
  let startedAt = 0

  const loop = async () => {
    for (let reads = 0; !stopped; reads++) {
      try {
        if (away) await onGap()
        if (away || reads % READS_BETWEEN_CHECKS === 0) await rewindRestartedStreams(blocking, lastIds)
        const streams = await readAfter(blocking, lastIds, { wait: caughtUp })
        for (const { key, entries } of streams) {
          const shard = SHARD_OF_KEY.get(key) ?? 0
          for (const { id, message } of entries) {
            apply({ map, devices }, shard, { id, fields: fieldsOf(message) })
            lastIds[shard] = id
          }
        }
        const isAll = streams.every(({ entries }) => entries.length < ENTRIES_PER_SHARD)
        caughtUp ||= isAll
        away = false
        if (isAll && streams.length > 0) await Bun.sleep(GATHER_MS)
      } catch (error) {
        if (!away && !stopped)
          log.warn(
            { event: 'live_positions.stalled', reason: String(error) },
            'Positions stand still: Redis is away',
          )
        away = true
        await Bun.sleep(RETRY_MS)
      }
    }
  }

  return {
    name: 'point streams',
    /** Whether the map has what was in the streams when this process started, as far as Redis can say. */
    hasCaughtUp: (): boolean => caughtUp || (away && performance.now() - startedAt > CONNECT_MS_MAX),
    start: () => {
      startedAt = performance.now()
      running = loop()
    },
    stop: async () => {
      stopped = true
      await running
    },
  }
}

function readAfter(
  blocking: Redis,
  lastIds: readonly string[],
  { wait }: { wait: boolean },
): Promise<StreamEntries[]> {
  const streams = KEYS.map((key, shard) => ({ key, id: lastIds[shard] ?? BEFORE_ALL }))
  return withDeadline(
    blocking.readStreams(streams, { count: ENTRIES_PER_SHARD, ...(wait ? { waitMs: BLOCK_MS } : {}) }),
    { what: 'Redis', deadlineMs: BLOCK_DEADLINE_MS },
  )
}

/** A stream whose newest entry is older than the last one read was started again: it is read from its head. */
async function rewindRestartedStreams(blocking: Redis, lastIds: string[]): Promise<void> {
  const newest = await withDeadline(
    Promise.all(KEYS.map((key) => blocking.xRevRange(key, '+', '-', { COUNT: 1 }))),
    { what: 'Redis', deadlineMs: BLOCK_DEADLINE_MS },
  )
  newest.forEach((entries, shard) => {
    const id = entries?.[0]?.id
    if (id !== undefined && compareEntryIds(id, lastIds[shard] ?? BEFORE_ALL) < 0) lastIds[shard] = BEFORE_ALL
  })
}

/** An entry is of one participant: its latest point goes on the map. A check-in is an entry of its own. */
function apply({ map, devices }: { map: LiveMap; devices: Devices }, shard: number, entry: Entry): void {
  const number = entryNumber(entry.id)
  const latest = decodeLatest(entry, shard)
  if (latest) {
    const { userId, point } = latest
    if (devices.has(userId)) reportFixes(entry, shard, devices)
    const slot = map.update(userId, { ...point, entry: number })
    if (slot !== NO_SLOT && point.kind === 'checkin') map.addPendingCheckin(slot, number, point.recordedAt)
  }
  map.movements.advance(shard, number)
}

function reportFixes(entry: Entry, shard: number, { onFix }: Devices): void {
  for (const { userId: deviceId, point, receivedAt } of decodeEntry(entry, shard).points) {
    const { lat, lng, recordedAt: recordedAtMs, accuracy: accuracyM } = point
    onFix({ deviceId, lat, lng, recordedAtMs, accuracyM }, receivedAt)
  }
}
