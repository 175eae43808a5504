import type { Track } from '@palanquin/domain/distance'
import { TrackState } from '@palanquin/domain/distance/state'
import { Compile } from 'typebox/compile'

const states = Compile(TrackState)

/** The track in a row, or null where it is unreadable: one such row must not hold up the flush of all others. */
export const readTrack = (state: unknown): Track | null => (states.Check(state) ? state : null)
