import { fill } from '@palanquin/domain/fill-text'

/** A text with a number in it, in its form for one or for any other. @param values beside or instead of `n` */
export const counted = (
  n: number,
  [one = '', many = one]: readonly string[],
  values: Record<string, string | number> = {},
): string => fill(n === 1 ? one : many, { n, ...values })
