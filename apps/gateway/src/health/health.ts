import type { Service } from '../proxy/service.ts'
import type { ReadStatus } from './status-client.ts'

type State = 'ok' | 'error'
type Activity = 'active' | 'paused' | 'ended'

/** `GET /health`, flat (specification 4.3). */
export type Health = {
  status: 'ok' | 'degraded' | 'ended'
  d1: State
  kv: State
  r2: State
  last_flush: string | null
  buffer_size: number
}

/** What was last known when a service does not answer. */
type Known = { lastFlush: string | null; bufferSize: number; activity: Activity | undefined }

/**
 * Reads the state of everything within a second, whatever is down, and shares one look among all who ask at once.
 * What the tracking service alone knows stays as it last was while that does not answer; `ended` is said even when
 * a store is in error, for it is what clients act on.
 */
export function healthReader({
  tracking,
  engagement,
  media,
  pingRedis,
  ask,
}: {
  tracking: Service
  engagement: Service
  media: Service
  pingRedis: () => Promise<boolean>
  ask: ReadStatus
}): () => Promise<Health> {
  let known: Known = { lastFlush: null, bufferSize: 0, activity: undefined }
  let underWay: Promise<Health> | undefined

  const read = async (): Promise<Health> => {
    const [gps, people, pictures, redis] = await Promise.all([
      ask(tracking, '/internal/health'),
      ask(engagement, '/internal/health'),
      ask(media, '/internal/health'),
      pingRedis(),
    ])
    known = {
      lastFlush: typeof gps?.lastFlush === 'string' ? gps.lastFlush : known.lastFlush,
      bufferSize: typeof gps?.bufferSize === 'number' ? gps.bufferSize : known.bufferSize,
      activity: activityOf(people?.activity) ?? known.activity,
    }
    const d1 = stateOf((gps ?? people)?.d1 === 'ok')
    const kv = stateOf(redis && gps?.kv !== 'error' && people?.kv !== 'error')
    const r2 = stateOf(pictures?.r2 === 'ok')
    const well = d1 === 'ok' && kv === 'ok' && r2 === 'ok'
    const status = known.activity === 'ended' ? 'ended' : well ? 'ok' : 'degraded'
    return { status, d1, kv, r2, last_flush: known.lastFlush, buffer_size: known.bufferSize }
  }

  return () => {
    underWay ??= read().finally(() => {
      underWay = undefined
    })
    return underWay
  }
}

const stateOf = (ok: boolean): State => (ok ? 'ok' : 'error')

const activityOf = (value: unknown): Activity | undefined =>
  value === 'active' || value === 'paused' || value === 'ended' ? value : undefined
