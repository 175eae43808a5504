import { keepDraftOf, OWN_TRACK, readDraft } from '../drafts.ts'
import { NOTHING_YET, type TrackSoFar } from './track-so-far.ts'

/** Another device may bring older points, which a page that asks for new ones alone never sees. */
const WHOLE_EVERY_MS = 43_200_000
/** The track is written again when so many points have come. */
const POINTS_BETWEEN = 100

type Kept = {
  userId: string
  wholeAtMs: number
  lat: Float64Array
  lng: Float64Array
  recordedAt: Float64Array
}

/** My stored track as this phone kept it; nothing where all of it is to be read. */
export async function keptTrack(userId: string, nowMs: number): Promise<TrackSoFar> {
  const kept = await readDraft<Kept>(OWN_TRACK)
  if (kept?.userId !== userId || nowMs - kept.wholeAtMs > WHOLE_EVERY_MS) return NOTHING_YET
  const { lat, lng, recordedAt, wholeAtMs } = kept
  const stored = Array.from(recordedAt, (at, n) => ({ lat: lat[n] ?? 0, lng: lng[n] ?? 0, recordedAt: at }))
  keptPoints = stored.length
  return { stored, own: [], wholeAtMs }
}
let keptPoints = 0

/** Keeps the stored part while its person is signed in here, unless hardly anything is new. */
export async function keepTrack(
  userId: string,
  { stored, wholeAtMs }: TrackSoFar,
  before: TrackSoFar,
): Promise<void> {
  if (wholeAtMs === before.wholeAtMs && stored.length < keptPoints + POINTS_BETWEEN) return
  const column = (read: (point: (typeof stored)[number]) => number) => Float64Array.from(stored, read)
  const kept: Kept = {
    userId,
    wholeAtMs,
    lat: column(({ lat }) => lat),
    lng: column(({ lng }) => lng),
    recordedAt: column(({ recordedAt }) => recordedAt),
  }
  await keepDraftOf(userId, OWN_TRACK, kept)
  keptPoints = stored.length
}
