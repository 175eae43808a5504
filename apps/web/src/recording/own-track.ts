import { isRecord } from '@palanquin/domain/is-record'
import { OWN_PATH } from '../api/base.ts'
import { request } from '../api/send.ts'
import { nowMs } from '../api/server-clock.ts'
import { checkinsOf } from '../outbox/checkins.ts'
import { withStore } from '../store.ts'
import type { LinePoint } from './gaps.ts'
import { askFrom, NOTHING_YET, type TrackSoFar, withRead, withWaiting } from './track-so-far.ts'

/** All points of a person, stored and waiting; after the first time only new ones are read. Null: unreadable. */
export async function readOwnTrack(userId: string, before: TrackSoFar): Promise<TrackSoFar | null> {
  const from = askFrom(before)
  const query = from === undefined ? '' : `?from=${from}`
  const [reply, waiting] = await Promise.all([
    request('GET', `${OWN_PATH}/track${query}`),
    waitingPoints(userId),
  ])
  if (reply?.status === 200)
    return withRead(before, { since: pointsOf(reply.body), from, waiting, nowMs: nowMs() })
  return before === NOTHING_YET && waiting.length === 0 ? null : withWaiting(before, waiting)
}

async function waitingPoints(userId: string): Promise<LinePoint[]> {
  try {
    const entries = await withStore((db) => db.getAllFromIndex('outbox', 'person', [userId, 'waiting']))
    const checkins = await checkinsOf(userId)
    return [...entries, ...checkins.filter(({ state }) => state === 'waiting')].map(
      ({ point: { lat, lng, recordedAt } }) => ({ lat, lng, recordedAt }),
    )
  } catch (error) {
    console.warn('This phone keeps no outbox', error)
    return []
  }
}

/** The points of the service's GeoJSON; its lines hold the same ones. */
function pointsOf(document: unknown): LinePoint[] {
  const features = isRecord(document) && Array.isArray(document.features) ? document.features : []
  return features.flatMap((feature: unknown) => {
    const { geometry, properties }: Record<string, unknown> = isRecord(feature) ? feature : {}
    if (!isRecord(geometry) || geometry.type !== 'Point' || !isRecord(properties)) return []
    const [lng, lat]: unknown[] = Array.isArray(geometry.coordinates) ? geometry.coordinates : []
    const recordedAt = Date.parse(String(properties.recordedAt))
    return typeof lat === 'number' && typeof lng === 'number' && Number.isFinite(recordedAt)
      ? [{ lat, lng, recordedAt }]
      : []
  })
}
