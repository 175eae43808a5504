import type { TrackPoint } from './entry.ts'

/** `waiting`: not yet answered; `received`: the service has it; `refused`: it never takes it. */
type CheckinState = 'waiting' | 'received' | 'refused'

/** A check-in with the time at which it was made. The place of a service point has no accuracy. */
export type SavedCheckin = {
  seq?: number
  userId: string
  point: Omit<TrackPoint, 'accuracy'> & { accuracy?: number }
  /** The time at which it was made by the phone's clock, where no server had said its own yet. */
  phoneMs?: number
  note?: string
  state: CheckinState
  sentAtMs?: number
  /** Kept until the service has it. */
  photo?: Blob
  hasPhoto?: boolean
  /** Why it was refused. */
  reason?: 'photo' | 'photo-too-large' | 'invalid'
}
export type StoredCheckin = SavedCheckin & { seq: number }

/** Made so close together they are one check-in anyway: a photo need not wait for the minute to end. */
const ONE_MS = 60_000
/** Contract 8.16: the same place within a minute counts once, by arrival. */
const SAME_PLACE_MS = 65_000

/** Whether it is the photo of another check-in. */
const belongs = (of: SavedCheckin, other: SavedCheckin): boolean =>
  of.photo !== undefined && Math.abs(of.point.recordedAt - other.point.recordedAt) < ONE_MS

/** The place at which the service takes two check-ins for one: five decimals. */
const placeOf = ({ point }: SavedCheckin): string => `${point.lat.toFixed(5)},${point.lng.toFixed(5)}`

/** Which check-in of a person goes next, or after how long: those of one place go a minute apart. */
export function nextCheckin(
  checkins: readonly StoredCheckin[],
  nowMs: number,
): { send: StoredCheckin } | { waitMs: number } | null {
  /** When another check-in of the same place was last sent. */
  const sentMs = (of: StoredCheckin): number =>
    Math.max(
      Number.NEGATIVE_INFINITY,
      ...checkins
        .filter((other) => other.seq !== of.seq && placeOf(other) === placeOf(of) && !belongs(of, other))
        .flatMap(({ sentAtMs }) => sentAtMs ?? []),
    )
  const waiting = checkins
    .filter(({ state }) => state === 'waiting')
    // A clock that was set back makes none wait longer.
    .map((checkin) => ({ checkin, waitMs: Math.min(SAME_PLACE_MS, sentMs(checkin) + SAME_PLACE_MS - nowMs) }))
    .sort((one, other) => one.checkin.point.recordedAt - other.checkin.point.recordedAt)
  if (waiting.length === 0) return null
  const ready = waiting.find(({ waitMs }) => waitMs <= 0)
  if (ready) return { send: ready.checkin }
  return { waitMs: Math.min(...waiting.map(({ waitMs }) => waitMs)) }
}
