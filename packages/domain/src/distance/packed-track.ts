/** A track as a short text, a third of the JSON of its fields. */
import Type, { type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import { Latitude, Longitude } from '../degrees'
import { Nullable } from '../optional'
import type { GuardState } from './drift-guard'
import type { Fix } from './fix'
import { Count, Instant, Km, TrackState } from './state'
import type { Track } from './track'

const Accuracy = Nullable(Type.Number())
const PackedFix = Type.Tuple([Latitude, Longitude, Instant, Accuracy])
const PackedRules = [Nullable(PackedFix), Type.Array(PackedFix)] as const
const PackedGuard = Type.Tuple([
  Type.Tuple([...PackedRules, Km, Km]),
  Type.Array(PackedFix),
  Nullable(Type.Tuple([Latitude, Longitude, Accuracy])),
])
/** Anchor, noise, the last point (0: a check-in) and its place, the drift guard. */
const PackedTrack = Type.Tuple([
  ...PackedRules,
  Nullable(Type.Tuple([Instant, Type.Union([Type.Literal(0), Type.Literal(1)])])),
  Nullable(PackedFix),
  Nullable(PackedGuard),
])
type PackedTrack = Static<typeof PackedTrack>

const Figures = Type.Object({ walkedKm: Km, motorizedKm: Km, points: Count, checkins: Count })
/** What a row has of a track besides the text. */
export type TrackFigures = Pick<Track, 'walkedKm' | 'motorizedKm' | 'points' | 'checkins'>

const packedTracks = Compile(PackedTrack)
const figuresOfRows = Compile(Figures)
const states = Compile(TrackState)

export function packTrack({ anchor, noise, last, lastFix, guard }: Track): string {
  const key = last && [last.recordedAt, last.kind === 'checkin' ? 0 : 1]
  const packed = [packFix(anchor), noise.map(packFix), key, packFix(lastFix), guard ? packGuard(guard) : null]
  return JSON.stringify(packed)
}

/** The track of a row, also of the JSON of versions before; null where it is unreadable. */
export function unpackTrack(text: string, figures: TrackFigures): Track | null {
  const value = parse(text)
  if (!Array.isArray(value)) return readTrackState(value)
  return packedTracks.Check(value) && figuresOfRows.Check(figures) ? trackOf(value, figures) : null
}

/** A track in JSON with all of its fields, such as a checkpoint's, or null where it is none. */
export const readTrackState = (value: unknown): Track | null => (states.Check(value) ? value : null)

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

const packFix = (fix: Fix | null) => fix && [fix.lat, fix.lng, fix.recordedAt, fix.accuracy]

const packGuard = ({ settled, tail, stay }: GuardState) => [
  [packFix(settled.anchor), settled.noise.map(packFix), settled.walkedKm, settled.motorizedKm],
  tail.map(packFix),
  stay && [stay.lat, stay.lng, stay.accuracy],
]

function trackOf([anchor, noise, last, lastFix, guard]: PackedTrack, figures: TrackFigures): Track {
  const { walkedKm, motorizedKm, points, checkins } = figures
  const track = {
    anchor: anchor && fixOf(anchor),
    noise: noise.map(fixOf),
    walkedKm,
    motorizedKm,
    points,
    checkins,
    last: last && { recordedAt: last[0], kind: last[1] === 0 ? ('checkin' as const) : ('track' as const) },
    lastFix: lastFix && fixOf(lastFix),
  }
  return guard ? { ...track, guard: guardOf(guard) } : track
}

const fixOf = ([lat, lng, recordedAt, accuracy]: Static<typeof PackedFix>): Fix => ({
  lat,
  lng,
  recordedAt,
  accuracy,
})

const guardOf = ([settled, tail, stay]: Static<typeof PackedGuard>): GuardState => {
  const [anchor, noise, walkedKm, motorizedKm] = settled
  return {
    settled: { anchor: anchor && fixOf(anchor), noise: noise.map(fixOf), walkedKm, motorizedKm },
    tail: tail.map(fixOf),
    stay: stay && { lat: stay[0], lng: stay[1], accuracy: stay[2] },
  }
}
