import { fill } from '@palanquin/domain/fill-text'

/**
 * A text with a number in it: the first form for one, the second for any other number.
 * @param values beside `n`, or in place of it, such as the number with its separators
 */
export const counted = (
  n: number,
  [one = '', many = one]: readonly string[],
  values: Record<string, string | number> = {},
): string => fill(n === 1 ? one : many, { n, ...values })
