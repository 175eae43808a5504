import { SHARD_COUNT } from '@palanquin/domain/ids'
import { withDeadline } from '@palanquin/service/deadline'
import type { Log } from '@palanquin/service/log'
import type { Redis } from '@palanquin/service/redis'
import type { StreamEntries } from '@palanquin/service/redis-commands'
import { decodeLatest } from '../../buffer/decode.ts'
import { BEFORE_ALL, compareEntryIds } from '../../buffer/entry-id.ts'
import { pointsKey } from '../../buffer/keys.ts'
import type { Entry } from '../../buffer/read.ts'
import { entryNumber } from '../positions/cursor.ts'
import type { LiveMap } from '../positions/live-map.ts'

/** Nothing interrupts a blocking read, so it bounds how long a stop takes. */
const BLOCK_MS = 500
const BLOCK_DEADLINE_MS = BLOCK_MS + 3_000
const ENTRIES_PER_SHARD = 250
const PAUSE_MS = 250
/**
 * After entries came, the next ones are left to gather so long: a read for each one that comes would cost Redis and this
 * process more than the check-in itself. Points are to be seen within 2 s.
 */
const GATHER_MS = 50
/** A connection that is only being opened is not a Redis that is away: until then what waits there may still come. */
const CONNECT_MS_MAX = 2_000
/** After so many reads the positions are compared with the streams: Redis may have come back with an older clock. */
const READS_BETWEEN_CHECKS = 20

const KEYS = Array.from({ length: SHARD_COUNT }, (_, shard) => pointsKey(shard))
const SHARD_OF_KEY = new Map(KEYS.map((key, shard) => [key, shard]))

/**
 * Follows the streams of all shards from their heads (what is older is in PostgreSQL) and brings every entry to the map,
 * within a moment of its arrival. `onGap` is called before it goes on after Redis was away: what was flushed
 * meanwhile is in PostgreSQL alone.
 */
export function followStreams({
  blocking,
  map,
  onGap,
  log,
}: {
  blocking: Redis
  map: LiveMap
  onGap: () => Promise<void>
  log: Log
}) {
  const behind: string[] = KEYS.map(() => BEFORE_ALL)
  let stopped = false
  let running: Promise<void> | undefined
  let away = false
  let caughtUp = false
  let startedAt = 0

  const loop = async () => {
    for (let reads = 0; !stopped; reads++) {
      try {
        if (away) await onGap()
        if (away || reads % READS_BETWEEN_CHECKS === 0) await checkPositions(blocking, behind)
        const streams = await readBehind(blocking, behind, { wait: caughtUp })
        for (const { key, entries } of streams) {
          const shard = SHARD_OF_KEY.get(key) ?? 0
          for (const { id, message } of entries) {
            takeIn(map, shard, { id, fields: message })
            behind[shard] = id
          }
        }
        const isAll = streams.every(({ entries }) => entries.length < ENTRIES_PER_SHARD)
        caughtUp ||= isAll
        away = false
        if (isAll && streams.length > 0) await Bun.sleep(GATHER_MS)
      } catch (error) {
        if (!away && !stopped) log.warn({ reason: String(error) }, 'positions stand still: Redis is away')
        away = true
        await Bun.sleep(PAUSE_MS)
      }
    }
  }

  return {
    name: 'live reader',
    /** Whether what waited in the streams when this process began is on the map, as far as Redis can say. */
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

function readBehind(
  blocking: Redis,
  behind: readonly string[],
  { wait }: { wait: boolean },
): Promise<StreamEntries[]> {
  const streams = KEYS.map((key, shard) => ({ key, id: behind[shard] ?? BEFORE_ALL }))
  return withDeadline(
    blocking.readStreams(streams, { count: ENTRIES_PER_SHARD, ...(wait ? { waitMs: BLOCK_MS } : {}) }),
    { what: 'Redis', deadlineMs: BLOCK_DEADLINE_MS },
  )
}

/** A stream whose newest entry is older than what we have read was begun anew: read it from its head. */
async function checkPositions(blocking: Redis, behind: string[]): Promise<void> {
  const newest = await withDeadline(
    Promise.all(KEYS.map((key) => blocking.xRevRange(key, '+', '-', { COUNT: 1 }))),
    { what: 'Redis', deadlineMs: BLOCK_DEADLINE_MS },
  )
  newest.forEach((entries, shard) => {
    const id = entries?.[0]?.id
    if (id !== undefined && compareEntryIds(id, behind[shard] ?? BEFORE_ALL) < 0) behind[shard] = BEFORE_ALL
  })
}

function takeIn(map: LiveMap, shard: number, entry: Entry): void {
  const number = entryNumber(entry.id)
  // An entry is of one participant; of its points the latest is on the map. A check-in is an entry of its own.
  const latest = decodeLatest(entry, shard)
  if (latest) {
    const { userId, point } = latest
    const position = map.visibility(userId, { ...point, entry: number })
    if (position && point.kind === 'checkin') map.checkedIn(position, number, point.recordedAt)
  }
  map.advance(shard, number)
}
