import type { Database } from '@palanquin/db/client'
import { SHARD_COUNT } from '@palanquin/domain/ids'
import type { LevelKm } from '@palanquin/domain/rank'
import type { Log } from '@palanquin/service/log'
import { entryNumber } from '../positions/cursor.ts'
import type { LiveMap } from '../positions/live-map.ts'

/** A flush changes figures; so long after it they are on the map at the latest. */
const POLL_MS = 1_000
const READ_DEADLINE_MS = 10_000

type Row = {
  cursor: string
  version: number
  user_id: string | null
  km: number
  checkins: number
  last_lat: number | null
  last_lng: number | null
  last_at: Date | null
  last_accuracy: number | null
  moved_id: string | null
}

/**
 * The shard's cursor and the tracks that changed since a version, in one statement and so of one moment; `km` are those that a
 * level counts.
 */
const readShardStatement = (levelKm: LevelKm): string => `
SELECT c.cursor, c.version, t.user_id, t.walked_km${levelKm === 'walked' ? '' : ' + t.motorized_km'} AS km, t.checkins, t.last_lat, t.last_lng, t.last_at,
       t.last_accuracy, t.moved_id
  FROM tracking.flush_cursors AS c LEFT JOIN tracking.tracks AS t ON t.shard = c.shard AND t.version > $2
 WHERE c.shard = $1`

const READ_ERASURES = 'SELECT mark, at FROM tracking.erasures WHERE shard = $1'

/**
 * Brings what PostgreSQL holds to the map: everything at first, then what each flush has changed. It also fills in what
 * this process did not see in the streams because it was flushed before, and takes off whose erasure the bus did not tell.
 */
export function followStored({
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
  const statement = readShardStatement(levelKm)
  const versions: number[] = Array.from({ length: SHARD_COUNT }, () => -1)
  const erasures: (Map<string, number> | undefined)[] = Array.from({ length: SHARD_COUNT }, () => undefined)
  let timer: ReturnType<typeof setInterval> | undefined
  let looking: Promise<void> | undefined
  let away = false

  const readShard = async (shard: number): Promise<void> => {
    const rows = await db.query<Row>(statement, [shard, versions[shard] ?? -1], {
      deadlineMs: READ_DEADLINE_MS,
    })
    const [first] = rows
    if (!first) return
    for (const row of rows) takeIn(map, row)
    map.advance(shard, entryNumber(first.cursor))
    await readErasures(shard)
    versions[shard] = first.version
  }

  /** An erasure moves the shard's version too. Of those before this process began nobody is on the map. */
  const readErasures = async (shard: number): Promise<void> => {
    const rows = await db.query<{ mark: string; at: Date }>(READ_ERASURES, [shard])
    const known = erasures[shard]
    const isFirst = known === undefined
    erasures[shard] = new Map(rows.map(({ mark, at }) => [mark, at.getTime()]))
    for (const { mark, at } of rows) {
      if (isFirst) map.changes.noteUnknownErasure(at.getTime())
      else if (known.get(mark) !== at.getTime()) map.eraseOfBefore({ shard, mark, atMs: at.getTime() })
    }
  }

  const look = async (): Promise<void> => {
    const states = await db.query<{ shard: number; version: number }>(
      'SELECT shard, version FROM tracking.flush_cursors',
    )
    for (const { shard, version } of states) if (versions[shard] !== version) await readShard(shard)
  }

  /** Looks once, or joins the look under way; never rejects. */
  const refresh = (): Promise<void> => {
    looking ??= look()
      .then(
        () => {
          away = false
        },
        (error: unknown) => {
          if (!away) log.warn({ reason: String(error) }, 'levels stand still: PostgreSQL is away')
          away = true
        },
      )
      .finally(() => {
        looking = undefined
      })
    return looking
  }

  return {
    name: 'live figures',
    refresh,
    /** Whether every shard has been read since this process began. */
    isLoaded: (): boolean => versions.every((version) => version >= 0),
    start: () => {
      timer = setInterval(() => void refresh(), POLL_MS)
      void refresh()
    },
    stop: async () => {
      clearInterval(timer)
      await looking
    },
  }
}

function takeIn(map: LiveMap, row: Row): void {
  const { user_id: userId, last_lat: lat, last_lng: lng, last_at: at, moved_id: movedId } = row
  const { last_accuracy: accuracy } = row
  if (userId === null || lat === null || lng === null || at === null || movedId === null) return
  const recordedAt = at.getTime()
  const position = map.visibility(userId, { lat, lng, recordedAt, accuracy, entry: entryNumber(movedId) })
  if (position) map.counted(position, { km: row.km, checkins: row.checkins }, entryNumber(row.cursor))
}
