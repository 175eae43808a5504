import type { LinePoint } from './gaps.ts'

/** My track as far as this page knows it. */
export type TrackSoFar = {
  /** What the service has said. */
  stored: readonly LinePoint[]
  /** What this phone has, of which the service has said nothing yet. */
  own: readonly LinePoint[]
  /** When all of it was read, in epoch ms. */
  wholeAtMs: number
}

/** Points of another phone may arrive late; whatever is older comes with the next visit. */
const OVERLAP_MS = 900_000

export const NOTHING_YET: TrackSoFar = { stored: [], own: [], wholeAtMs: 0 }

/** From when on the service is to be asked, in epoch ms; undefined for the whole track. */
export function askFrom({ stored }: TrackSoFar): number | undefined {
  const latest = latestOf(stored)
  return latest === undefined ? undefined : Math.max(0, latest - OVERLAP_MS)
}

/** Adds the points since `from` and those that wait; what was sent stays until the service shows its time. */
export function withRead(
  before: TrackSoFar,
  {
    since,
    from,
    waiting,
    nowMs,
  }: { since: readonly LinePoint[]; from: number | undefined; waiting: readonly LinePoint[]; nowMs: number },
): TrackSoFar {
  const stored =
    from === undefined ? since : [...before.stored.filter(({ recordedAt }) => recordedAt < from), ...since]
  const wholeAtMs = from === undefined ? nowMs : before.wholeAtMs
  return { stored, own: notIn(stored, before, waiting), wholeAtMs }
}

/** Adds what waits on this phone, where the service could not be asked. */
export const withWaiting = (before: TrackSoFar, waiting: readonly LinePoint[]): TrackSoFar => ({
  ...before,
  own: notIn(before.stored, before, waiting),
})

function notIn(
  stored: readonly LinePoint[],
  { own }: TrackSoFar,
  waiting: readonly LinePoint[],
): readonly LinePoint[] {
  const known = new Set(stored.map(({ recordedAt }) => recordedAt))
  const shownUntil = latestOf(stored) ?? 0
  const sent = own.filter(({ recordedAt }) => recordedAt > shownUntil)
  const byTime = new Map([...sent, ...waiting].map((point) => [point.recordedAt, point]))
  return [...byTime.values()].filter(({ recordedAt }) => !known.has(recordedAt))
}

const latestOf = (points: readonly LinePoint[]): number | undefined =>
  points.length === 0 ? undefined : points.reduce((latest, point) => Math.max(latest, point.recordedAt), 0)
