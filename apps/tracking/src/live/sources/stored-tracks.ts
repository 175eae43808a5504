import type { Database } from '@palanquin/db/client'
import { SHARD_COUNT } from '@palanquin/domain/ids'
import type { LevelKm } from '@palanquin/domain/level'
import type { Log } from '@palanquin/service/log'
import { NO_SLOT } from '../../people/people.ts'
import { entryNumber } from '../positions/cursor.ts'
import type { LiveMap } from '../positions/live-map.ts'
import { readErasures, readShard, readShardVersions, type ShardRow } from './store.ts'

/** The totals of a flush are on the map after this time at the latest. */
const POLL_MS = 1_000

/**
 * Brings the tracks of PostgreSQL to the map: all at first, then those that each flush changed. It fills in positions
 * that were flushed before this process read the streams, and removes participants whose erasure the bus lost.
 */
export function followStoredTracks({
  db,
  map,
  levelKm,
  log,
}: {
  db: Database
  map: LiveMap
  levelKm: LevelKm
  log: Log
}) {
  const versions: number[] = Array.from({ length: SHARD_COUNT }, () => -1)
  const erasures: (Map<string, number> | undefined)[] = Array.from({ length: SHARD_COUNT }, () => undefined)
  let timer: ReturnType<typeof setInterval> | undefined
  let polling: Promise<void> | undefined
  let away = false

  const loadShard = async (shard: number): Promise<void> => {
    const rows = await readShard(db, { shard, since: versions[shard] ?? -1, levelKm })
    const [first] = rows
    if (!first) return
    for (const row of rows) applyTrack(map, row)
    map.movements.advance(shard, entryNumber(first.cursor))
    await loadErasures(shard)
    versions[shard] = first.version
  }

  /** An erasure moves the shard's version, too. Those from before this process started have no position to remove. */
  const loadErasures = async (shard: number): Promise<void> => {
    const rows = await readErasures(db, shard)
    const known = erasures[shard]
    const isFirst = known === undefined
    erasures[shard] = new Map(rows.map(({ token, at }) => [token, at.getTime()]))
    for (const { token, at } of rows) {
      if (isFirst) map.changes.addUnknownErasure(at.getTime())
      else if (known.get(token) !== at.getTime()) map.eraseByTime({ shard, token, atMs: at.getTime() })
    }
  }

  const poll = async (): Promise<void> => {
    for (const { shard, version } of await readShardVersions(db))
      if (versions[shard] !== version) await loadShard(shard)
  }

  /** Polls now, or joins the poll under way; never rejects. */
  const refresh = (): Promise<void> => {
    polling ??= poll()
      .then(
        () => {
          away = false
        },
        (error: unknown) => {
          if (!away)
            log.warn(
              { event: 'live_levels.stalled', reason: String(error) },
              'Levels stand still: PostgreSQL is away',
            )
          away = true
        },
      )
      .finally(() => {
        polling = undefined
      })
    return polling
  }

  return {
    name: 'stored tracks',
    refresh,
    /** Whether every shard has been read since this process started. */
    isLoaded: (): boolean => versions.every((version) => version >= 0),
    start: () => {
      timer = setInterval(() => void refresh(), POLL_MS)
      void refresh()
    },
    stop: async () => {
      clearInterval(timer)
      await polling
    },
  }
}

function applyTrack(map: LiveMap, row: ShardRow): void {
  const { userId, lat, lng, at, movedId } = row
  if (userId === null || lat === null || lng === null || at === null || movedId === null) return
  const slot = map.update(userId, {
    lat,
    lng,
    recordedAt: at.getTime(),
    accuracy: row.accuracy,
    entry: entryNumber(movedId),
  })
  if (slot === NO_SLOT) return
  const totals = { km: row.km ?? 0, checkins: row.checkins ?? 0, firstMs: row.firstAt?.getTime() ?? 0 }
  map.setTotals(slot, totals, entryNumber(row.cursor))
}
