/** What media passes on of a file that was imported, and what tracking says became of it. */
import Type, { type Static } from 'typebox'
import { UserId } from './ids'
import { SYNC_POINTS_MAX } from './point/input'

const Count = Type.Integer({ minimum: 0 })

/** `points`: as those of a sync, without a source. None asks whether any would be taken now. */
export const ImportedPoints = Type.Object({
  userId: UserId,
  points: Type.Array(Type.Unknown(), { maxItems: SYNC_POINTS_MAX }),
})
export type ImportedPoints = Static<typeof ImportedPoints>

/** `duplicates`: there already, or a better one of the same time is. */
export const ImportedCounts = Type.Object({
  stored: Count,
  duplicates: Count,
  tooOld: Count,
  future: Count,
  invalid: Count,
})
export type ImportedCounts = Static<typeof ImportedCounts>
