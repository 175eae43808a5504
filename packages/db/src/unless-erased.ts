/**
 * SQL: whether what was received of somebody is still to be written. `receipt`: a parameter that says whose it is, by erasure
 * token, and when it was received, as `receiptsUnder` (packages/service) makes it.
 */
export const unlessErased = (receipt: string): string => `NOT EXISTS (
  SELECT FROM tracking.erasures AS erasure
   WHERE erasure.mark = split_part(${receipt}::text, ' ', 1) AND erasure.at >= split_part(${receipt}::text, ' ', 2)::timestamptz
)`
