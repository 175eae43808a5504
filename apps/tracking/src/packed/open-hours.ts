import type { Database } from '@palanquin/db/client'
import { Timestamp } from '@palanquin/db/rows'
import { toIso } from '@palanquin/domain/time'
import Type from 'typebox'
import type { BufferedPoint } from '../buffer/decode.ts'
import { OPEN, PACK_DEADLINE_MS, READ_PACKED } from './statements.ts'

const HOUR_MS = 3_600_000
const PackedHour = Type.Object({ user_id: Type.String(), hour: Timestamp })
const Moved = Type.Object({ version: Type.Integer() })

type Opening = { shard: number; version: number; packedUntil: number; points: readonly BufferedPoint[] }

/**
 * Turns the packed hours that points belong to into rows again, so that a late point meets the key of a repeated one. Only
 * points from before `packedUntil` (epoch ms) are looked for. Resolves with the shard's version, which has moved if
 * anything was opened; null when another flusher was faster.
 * @throws StoreUnavailable
 */
export async function openHours(
  db: Pick<Database, 'queryAs'>,
  { shard, version, packedUntil, points }: Opening,
): Promise<number | null> {
  const late = new Map<string, { userId: string; hour: string }>()
  for (const { userId, point } of points) {
    if (point.recordedAt >= packedUntil) continue
    const hour = toIso(Math.floor(point.recordedAt / HOUR_MS) * HOUR_MS)
    late.set(`${hour}${userId}`, { userId, hour })
  }
  if (late.size === 0) return version
  const options = { deadlineMs: PACK_DEADLINE_MS }
  const hours = [...late.values()]
  const packed = await db.queryAs(
    PackedHour,
    READ_PACKED,
    [hours.map(({ userId }) => userId), hours.map(({ hour }) => hour)],
    options,
  )
  if (packed.length === 0) return version
  const slice = [packed.map(({ user_id }) => user_id), packed.map(({ hour }) => hour.toISOString())]
  const [moved] = await db.queryAs(Moved, OPEN, [shard, version, ...slice], options)
  return moved ? moved.version : null
}
