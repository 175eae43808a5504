import { type Database, isDuplicateKey } from '@palanquin/db/client'
import type { Log } from '@palanquin/service/log'
import { type BufferedPoint, decodeEntry, type SetAside } from '../buffer/decode.ts'
import type { Entry } from '../buffer/read.ts'
import type { IsErased } from '../erasure/token-store.ts'
import { openHours } from '../packed/open-hours.ts'
import type { AggregateTimeZone } from '../rollup/time-zone.ts'
import { readCarriedSpans } from './carried.ts'
import type { FlushMetrics } from './metrics.ts'
import type { PointsPartitions } from './partitions.ts'
import { newTrack, planBatch, type StoredTrack } from './plan.ts'
import type { StoredRow } from './statements.ts'
import { storeBatch } from './store.ts'
import { readTracks } from './tracks.ts'

/** The result of a batch; `setAside` counts what could not be stored as points. */
export type BatchOutcome = StoredRow & { points: number; setAside: number }

export type BatchContext = {
  db: Database
  partitions: PointsPartitions
  zone: AggregateTimeZone
  driftGuard: boolean
  metrics: FlushMetrics
  log: Log
}
export type Work = {
  shard: number
  version: number
  packedUntil: number
  entries: readonly Entry[]
  isErased: IsErased
  /** The shard's cursor now: parts of a batch leave it there. */
  before: string
  /** The shard's cursor once all entries are stored. */
  cursor: string
}

/** Stores entries in one statement; null when another flusher was faster. */
export function storeWhole(context: BatchContext, work: Work): Promise<BatchOutcome | null> {
  const wanted = work.entries.filter((entry) => !work.isErased(entry))
  const decoded = wanted.map((entry) => decodeEntry(entry, work.shard))
  return storePoints(context, {
    ...work,
    points: decoded.flatMap(({ points }) => points),
    setAside: decoded.flatMap(({ setAside }) => setAside),
  })
}

type Points = { points: readonly BufferedPoint[]; setAside: readonly SetAside[] }

/** Stores points of a shard, whose cursor is then `cursor`; null when another flusher was faster. */
export async function storePoints(
  { db, partitions, zone, driftGuard, metrics, log }: BatchContext,
  {
    shard,
    version: before,
    cursor,
    packedUntil,
    points,
    setAside,
  }: Points & Omit<Work, 'entries' | 'isErased' | 'before'>,
): Promise<BatchOutcome | null> {
  await partitions.ensureFor(points)
  const version = await openHours(db, { shard, version: before, packedUntil, points })
  if (version === null) return null
  const userIds = [...new Set(points.map(({ userId }) => userId))]
  const [tracks, spans] = await Promise.all([readTracks(db, userIds), readCarriedSpans(db)])
  const store = async (known: ReadonlyMap<string, StoredTrack>) => {
    const plan = planBatch(points, known, { driftGuard, spans })
    const stored = await storeBatch(db, { shard, version, cursor, plan, setAside, timeZone: zone.name })
    return { plan, stored }
  }
  // A point that its track says is new was stored: those tracks are not to be trusted.
  const { plan, stored } = await store(tracks).catch((error: unknown) => {
    if (!isDuplicateKey(error)) throw error
    return store(
      new Map(userIds.map((userId) => [userId, distrusted(tracks.get(userId) ?? newTrack(userId))])),
    )
  })
  const unreadable = stored === null ? 0 : plan.tracks.filter(({ isUnreadable }) => isUnreadable).length
  if (unreadable > 0) {
    metrics.unreadable.inc({ what: 'track' }, unreadable)
    log.error(
      { event: 'flush.row_set_aside', shard, tracks: unreadable },
      'Rows of tracking.tracks are unreadable; they are recomputed from the stored points',
    )
  }
  return stored && { ...stored, points: points.length, setAside: setAside.length }
}

const distrusted = (stored: StoredTrack): StoredTrack => ({ ...stored, isUnreadable: true })
