/** Counted kilometres by quarter of an hour, of which hours and days of any time zone are sums. */

/** The offsets of all time zones in use are multiples of this. */
export const QUARTER_MS = 900_000

/** Kilometres of segments that ended in a quarter of an hour; `quarter` is its start (epoch ms). */
export type CountedKm = { readonly quarter: number; readonly walkedKm: number; readonly motorizedKm: number }

type Sums = { readonly walkedKm: number; readonly motorizedKm: number }

/** Follows growing sums. Counted segments come in the order of their ends. */
export class Tally {
  /** Finished quarters; the current one is the growth of the sums since it began. */
  private readonly quarters: CountedKm[] = []
  private quarterEndMs = Number.NEGATIVE_INFINITY
  private walkedKmBefore = 0
  private motorizedKmBefore = 0

  /** Call before counting a segment that ended at `ms`: it starts a new quarter where needed. */
  at(ms: number, sums: Sums): void {
    if (ms < this.quarterEndMs) return
    this.endQuarter(sums)
    this.quarterEndMs = (Math.floor(ms / QUARTER_MS) + 1) * QUARTER_MS
    this.walkedKmBefore = sums.walkedKm
    this.motorizedKmBefore = sums.motorizedKm
  }

  end(sums: Sums): CountedKm[] {
    this.endQuarter(sums)
    return this.quarters
  }

  private endQuarter({ walkedKm, motorizedKm }: Sums): void {
    if (this.quarterEndMs === Number.NEGATIVE_INFINITY) return
    this.quarters.push({
      quarter: this.quarterEndMs - QUARTER_MS,
      walkedKm: walkedKm - this.walkedKmBefore,
      motorizedKm: motorizedKm - this.motorizedKmBefore,
    })
    this.quarterEndMs = Number.NEGATIVE_INFINITY
  }
}

/** A smaller remainder is a floating-point error; a segment is 0.01 km at least. */
const NOTHING_KM = 1e-9

/** `counted` plus `more` minus `taken`, by quarter in order, without empty quarters. */
export function sumCounted(
  counted: readonly CountedKm[],
  more: readonly CountedKm[],
  taken: readonly CountedKm[],
): CountedKm[] {
  const sums = new Map<number, { quarter: number; walkedKm: number; motorizedKm: number }>()
  const add = (sign: 1 | -1) => (one: CountedKm) => {
    const sum = sums.get(one.quarter) ?? { quarter: one.quarter, walkedKm: 0, motorizedKm: 0 }
    sum.walkedKm += sign * one.walkedKm
    sum.motorizedKm += sign * one.motorizedKm
    sums.set(one.quarter, sum)
  }
  counted.forEach(add(1))
  more.forEach(add(1))
  taken.forEach(add(-1))
  return [...sums.values()]
    .map(({ quarter, walkedKm, motorizedKm }) => ({
      quarter,
      walkedKm: cleaned(walkedKm),
      motorizedKm: cleaned(motorizedKm),
    }))
    .filter(({ walkedKm, motorizedKm }) => walkedKm !== 0 || motorizedKm !== 0)
    .sort((a, b) => a.quarter - b.quarter)
}

const cleaned = (km: number): number => (Math.abs(km) < NOTHING_KM ? 0 : km)
