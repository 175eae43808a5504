import { SeenIds } from '@palanquin/service/seen-ids'
import type { Participants } from './participants.ts'

export type Newcomers = ReturnType<typeof followNewcomers>

/**
 * Participants whom nobody knew: without a row, and not seen by this process either, for the gateway's limit of new
 * ones. Several copies, or one that has restarted, may each call a person new once until the first flush has made the row: that
 * costs their address one of its places more.
 */
export function followNewcomers(
  participants: { isKnown: () => boolean; columns: Pick<Participants['columns'], 'has'> },
  seen = new SeenIds(),
) {
  return {
    /**
     * Whether one whose data was accepted is new; after that they are not. False until all participants were read, so that
     * nobody is counted for a database that is away.
     */
    isNew: (userId: string): boolean => {
      if (participants.columns.has(userId) || seen.has(userId)) return false
      seen.add(userId)
      return participants.isKnown()
    },
  }
}
