import { mayTrack } from '@palanquin/domain/participant'
import type { Participant } from '../access/participant-columns.ts'

/** What the public may know of a participant. */
export type PublicState = {
  /** Whether they are counted in the density of the crowd. */
  isCounted: boolean
  /** Whether they are a dot on the map. */
  isPublic: boolean
  /** Whether they are a dot that chose to have no name. */
  isAnonymous: boolean
  /** The name beside the dot; null where none is shown. */
  publicName: string | null
  /** Their public id is made of it; null of the unregistered. */
  publicVersion: number | null
  /** When anything about them changed last, in epoch ms of PostgreSQL's clock. */
  changedAt?: number | undefined
}

/** Of a participant whom the public may know nothing of. */
export const HIDDEN: PublicState = {
  isCounted: false,
  isPublic: false,
  isAnonymous: false,
  publicName: null,
  publicVersion: null,
}

/**
 * Who has given consent and has not withdrawn is counted, unless they are hidden; their visibility says what else is shown.
 * The unregistered have given no consent, and a device that carries a beacon is not in the crowd.
 */
export function publicStateOf(
  participant: Participant | undefined,
  { isDevice }: { isDevice: boolean },
): PublicState {
  if (!participant) return HIDDEN
  const { consent, visibility, status, displayName, publicVersion, changedAt } = participant
  const isCounted = consent && visibility !== 'hidden' && mayTrack(status) && !isDevice
  const isPublic = isCounted && visibility !== 'crowd'
  const isAnonymous = isPublic && visibility === 'anonymous'
  return {
    isCounted,
    isPublic,
    isAnonymous,
    publicVersion,
    changedAt,
    publicName: isPublic && !isAnonymous ? displayName : null,
  }
}
