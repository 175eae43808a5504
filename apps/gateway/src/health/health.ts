import { memoize } from '@palanquin/service/memoize'
import Type, { type Static } from 'typebox'
import type { ServiceClients } from '../proxy/client.ts'
import { statusOf } from './status.ts'

type State = 'ok' | 'error'
const Activity = Type.Enum(['active', 'paused', 'ended'])

/** `GET /health`, flat (specification 4.3). */
export type Health = {
  status: 'ok' | 'degraded' | 'ended'
  d1: State
  kv: State
  r2: State
  last_flush: string | null
  buffer_size: number
}

/** `GET /internal/health` of a service: each knows a part of it. */
const ServiceHealth = Type.Partial(
  Type.Object({
    d1: Type.String(),
    kv: Type.String(),
    r2: Type.String(),
    flush: Type.String(),
    lastFlush: Type.Union([Type.String(), Type.Null()]),
    bufferSize: Type.Number(),
    activity: Type.Union([Activity, Type.Null()]),
  }),
)

/** What was last known of a service that does not answer. */
type Known = { lastFlush: string | null; bufferSize: number; activity: Static<typeof Activity> | undefined }

/**
 * Reads the state of everything within a second, whatever is down; requests at the same time share one reading. What only
 * tracking knows stays as it last was while it does not answer; `ended` is reported even when a store is in error, because
 * clients act on it.
 */
export function healthReader({
  clients: { tracking, engagement, media },
  pingRedis,
  deadlineMs,
}: {
  clients: Pick<ServiceClients, 'tracking' | 'engagement' | 'media'>
  pingRedis: () => Promise<boolean>
  deadlineMs?: number | undefined
}): () => Promise<Health> {
  let known: Known = { lastFlush: null, bufferSize: 0, activity: undefined }
  const read = async (): Promise<Health> => {
    const [gps, participants, images, redis] = await Promise.all([
      statusOf(tracking, '/internal/health', { reply: ServiceHealth, deadlineMs }),
      statusOf(engagement, '/internal/health', { reply: ServiceHealth, deadlineMs }),
      statusOf(media, '/internal/health', { reply: ServiceHealth, deadlineMs }),
      pingRedis(),
    ])
    known = {
      lastFlush: gps?.lastFlush ?? known.lastFlush,
      bufferSize: gps?.bufferSize ?? known.bufferSize,
      activity: participants?.activity ?? known.activity,
    }
    const d1 = stateOf((gps ?? participants)?.d1 === 'ok')
    const kv = stateOf(redis && gps?.kv !== 'error' && participants?.kv !== 'error')
    const r2 = stateOf(images?.r2 === 'ok')
    const isOk = d1 === 'ok' && kv === 'ok' && r2 === 'ok' && gps?.flush !== 'overdue'
    const status = known.activity === 'ended' ? 'ended' : isOk ? 'ok' : 'degraded'
    return { status, d1, kv, r2, last_flush: known.lastFlush, buffer_size: known.bufferSize }
  }
  return memoize(read, { ttlMs: 0 })
}

const stateOf = (ok: boolean): State => (ok ? 'ok' : 'error')
