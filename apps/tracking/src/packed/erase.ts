/**
 * Parts of a statement that delete all points of a participant, in whichever form they are; `erased_points` has their
 * places. `userId` is an expression such as `$1`.
 */
export const erasePoints = (userId: string): string => `
erased_rows AS (
  DELETE FROM tracking.points WHERE user_id = ${userId} RETURNING lat, lng
), erased_packed AS (
  DELETE FROM tracking.packed_points AS packed WHERE user_id = ${userId} RETURNING packed
), erased_points AS (
  SELECT lat, lng FROM erased_rows
  UNION ALL
  SELECT point.lat, point.lng FROM erased_packed CROSS JOIN LATERAL tracking.unpack(packed) AS point
)`
