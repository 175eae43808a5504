import { fetchInTime } from '../api/fetch-in-time.ts'
import { knowsServerClock, nowMs, phoneTimeOf, serverTimeOf } from '../api/server-clock.ts'
import type { StoredCheckin } from './checkin.ts'

/** The time of a check-in now; by the phone's clock, too, while the server's is not known. */
export const timeOfCheckin = (): { recordedAt: number; phoneMs?: number } => {
  const recordedAt = nowMs()
  return knowsServerClock() ? { recordedAt } : { recordedAt, phoneMs: phoneTimeOf(recordedAt) }
}

/** A check-in with the server's time at which it was made; null while no server answers. */
export async function inServerTime(checkin: StoredCheckin): Promise<StoredCheckin | null> {
  const { phoneMs, ...made } = checkin
  if (phoneMs === undefined) return checkin
  if (!knowsServerClock())
    await fetchInTime('/health', { cache: 'no-store', credentials: 'omit' }).catch(() => undefined)
  if (!knowsServerClock()) return null
  return { ...made, point: { ...made.point, recordedAt: serverTimeOf(phoneMs) } }
}
