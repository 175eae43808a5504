import { shardOf } from '@palanquin/domain/ids'
import type { ErasureTokenOf } from '@palanquin/service/erasure-token'
import type { FailPoint } from '@palanquin/service/fail-point'
import type { Redis } from '@palanquin/service/redis'
import { noteFlushed } from '../buffer/confirm.ts'
import type { BufferedPoint } from '../buffer/decode.ts'
import { readErased } from '../erasure/token-store.ts'
import { type BatchContext, storePoints } from '../flush/batch.ts'
import type { Pace } from '../flush/pace.ts'
import { readShardState, type ShardState } from '../flush/shard-state.ts'
import { FLUSH_DEADLINE_MS } from '../flush/statements.ts'
import { type KeptPoint, storedPoints } from '../tracks/store.ts'
import { Linked, READ_LINKED, REMOVE_DEVICE } from './statements.ts'

/** Devices of one flush; more wait for the next. */
const DEVICES_MAX = 1_000
/** Attempts lost to flushes of the shard before the device waits for the next flush. */
const OVERTAKEN_MAX = 10

type MoveContext = BatchContext & {
  redis: Redis
  tokenOf: ErasureTokenOf
  failPoint: FailPoint
  pace: Pick<Pace, 'batch'>
}

/**
 * Gives what is stored of linked devices to the LINE ids that they were joined to. Part of every flush: what came from a
 * device after it was linked, out of a journal or the buffer, follows with the flush that stores it. Each step may be
 * repeated: a point counts once by its key, and the device's rows go when all of them are the person's.
 * @throws StoreUnavailable
 */
export async function moveLinked(context: MoveContext): Promise<void> {
  const linked = await context.db.queryAs(Linked, READ_LINKED, [DEVICES_MAX])
  for (const link of linked) {
    let isMoved = false
    for (let tries = 0; !isMoved && tries < OVERTAKEN_MAX; tries++)
      isMoved = await context.pace.batch(() => moveOnce(context, link))
    if (isMoved) context.log.info({ event: 'link.points_moved' }, 'The points of a linked device were moved')
  }
}

/** False when a flush was faster at one of the two shards. */
async function moveOnce(context: MoveContext, { deviceId, userId }: Linked): Promise<boolean> {
  const { db, redis } = context
  const [from, to] = [shardOf(deviceId), shardOf(userId)]
  const before = await readShardState(db, from)
  let state = from === to ? before : await readShardState(db, to)
  const isErased = await readErased(db, to, context.tokenOf)
  for await (const points of storedPoints(db, { userId: deviceId })) {
    const cursor = state.cursor
    const own = points
      .filter(({ receivedAt }) => !isErased({ id: cursor, fields: { u: userId, r: String(receivedAt) } }))
      .map((point) => asPointOf(userId, point, cursor))
    if (own.length === 0) continue
    const stored = await storePoints(context, { shard: to, ...state, points: own, setAside: [] })
    if (!stored) return false
    state = { ...state, version: stored.version }
    context.failPoint('link:after-page')
  }
  const { version } = from === to ? state : before
  const [removed] = await db.query<ShardState>(REMOVE_DEVICE, [from, version, deviceId, userId], {
    deadlineMs: FLUSH_DEADLINE_MS,
  })
  if (!removed) return false
  context.failPoint('link:after-removal')
  await noteFlushed(redis, { shard: from, ...removed })
  if (from !== to) await noteFlushed(redis, { shard: to, ...state })
  return true
}

/** A stored point as one of the buffer, of another participant. */
const asPointOf = (
  userId: string,
  { note, receivedAt, ...point }: KeptPoint,
  entryId: string,
): BufferedPoint => ({
  entryId,
  position: 0,
  userId,
  note,
  receivedAt,
  point,
})
