import { type Random, seededRandom } from '@palanquin/testing/random'
import { BREAKS, type Fault, type FaultAction, type FaultKind, linksOf, processesOf } from './faults.ts'

/** Time between faults; several overlap, because many last longer. */
const APART_MS = { min: 300, max: 2_300 }
/** Up to longer than every deadline of the stack: 8 s behind a 202, 10 s at the gateway. */
const LASTS_MS = { min: 200, max: 12_000 }
/** The load starts first. */
const BEGINS_MS = 2_000

/** Probability of each kind. */
const SHARES: readonly [FaultKind, number][] = [
  ['kill', 0.32],
  ['suspend', 0.2],
  ['link', 0.28],
  ['restart', 0.08],
  ['steal', 0.04],
  ['expire', 0.04],
  ['backends', 0.04],
]

type Targets = { processes: readonly string[]; links: readonly string[] }

/** The faults of a run in order of time; a function of seed, length and number of copies. */
export function planFaults({
  seed,
  lastsMs,
  copies,
}: {
  seed: number
  lastsMs: number
  copies: number
}): Fault[] {
  const random = seededRandom(seed)
  const targets = { processes: processesOf(copies), links: linksOf(copies) }
  const faults: Fault[] = []
  for (let atMs = BEGINS_MS; atMs < lastsMs; atMs += random.between(APART_MS.min, APART_MS.max))
    faults.push({ atMs: Math.round(atMs), ...randomAction(random, targets) })
  return faults
}

function randomAction(random: Random, { processes, links }: Targets): FaultAction {
  const kind = kindOf(random.next())
  switch (kind) {
    case 'kill':
    case 'restart':
      return { kind, target: oneOf(random, processes) }
    case 'suspend':
      return { kind, target: oneOf(random, processes), forMs: lasting(random) }
    case 'link':
      return { kind, link: oneOf(random, links), break: oneOf(random, BREAKS), forMs: lasting(random) }
    default:
      return { kind }
  }
}

function kindOf(chance: number): FaultKind {
  let left = chance
  for (const [kind, share] of SHARES) {
    left -= share
    if (left < 0) return kind
  }
  return 'kill' // rounding
}

const lasting = (random: Random): number =>
  Math.round(LASTS_MS.min + (LASTS_MS.max - LASTS_MS.min) * random.next() ** 2)

function oneOf<T>(random: Random, list: readonly T[]): T {
  const one = list[random.integer(0, list.length - 1)]
  if (one === undefined) throw new RangeError('one of none')
  return one
}
