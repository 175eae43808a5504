import type { Track } from '@palanquin/domain/distance'
import { TrackState } from '@palanquin/domain/distance/state'
import { Compile } from 'typebox/compile'

const states = Compile(TrackState)

/** The track that a row holds, or null where that is none: one unreadable row must not hold up everybody else. */
export const readTrack = (state: unknown): Track | null => (states.Check(state) ? state : null)
