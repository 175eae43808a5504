/** Chance that comes out the same for the same seed, on every machine. */
export type Random = {
  /** From 0 up to, not including, 1. */
  next: () => number
  between: (min: number, max: number) => number
  /** A whole number, both ends included. */
  integer: (min: number, max: number) => number
  /** Normally distributed around 0 with standard deviation 1. */
  normal: () => number
  shuffle: <T>(items: readonly T[]) => T[]
}

/** mulberry32 (Tommy Ettinger, public domain): 32 bits of state are plenty for a test's walk. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const between = (min: number, max: number) => min + next() * (max - min)
  const integer = (min: number, max: number) => Math.floor(between(min, max + 1))
  return {
    next,
    between,
    integer,
    // Box and Muller, 1958; 1 - next() because log(0) is no number.
    normal: () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
    shuffle: <T>(items: readonly T[]) => {
      const left = [...items]
      const mixed: T[] = []
      while (left.length > 0) mixed.push(...left.splice(integer(0, left.length - 1), 1))
      return mixed
    },
  }
}
