/** SQL: whether what was received may still be written; `receipt`: a parameter of `receiptsUnder`. */
export const unlessErased = (receipt: string): string => `NOT EXISTS (
  SELECT FROM tracking.erasures AS erasure
   WHERE erasure.mark = split_part(${receipt}::text, ' ', 1) AND erasure.at >= split_part(${receipt}::text, ' ', 2)::timestamptz
)`
