import { seededRandom } from '@palanquin/testing/random'

/**
 * - `error`: 500 and nothing was done; `error-after`: accepted, and 500 all the same.
 * - `rate`, `quota`: the two kinds of 429.
 * - `hang`, `hang-after`: no answer, before or after the request was accepted, until the client gives up.
 * - `reset`, `reset-after`: the connection is cut instead of an answer.
 * - `slow`: a right answer, `delayMs` late.
 */
export const FAULT_KINDS = [
  'error',
  'error-after',
  'rate',
  'quota',
  'hang',
  'hang-after',
  'reset',
  'reset-after',
  'slow',
] as const
export type FaultKind = (typeof FAULT_KINDS)[number]

export type FaultOrder = {
  kind: FaultKind
  /** The endpoint's name (`push`, `multicast`, `richmenu-create` …); left out, all of them. */
  at?: string | undefined
  /** How many calls it hits; left out, one. */
  times?: number | undefined
  /** So many calls go well first. */
  after?: number | undefined
  /** The share of the calls that it hits, in place of every one. */
  chance?: number | undefined
  /** Of `slow`. */
  delayMs?: number | undefined
}

type Order = { kind: FaultKind; at: string; times: number; after: number; chance: number; delayMs: number }

/** The faults that were ordered and have not happened yet. */
export function createFaults(seed = 1) {
  const random = seededRandom(seed)
  let orders: Order[] = []
  const happened: { kind: FaultKind; at: string }[] = []
  return {
    order: ({ kind, at = '*', times = 1, after = 0, chance = 1, delayMs = 0 }: FaultOrder): void =>
      void orders.push({ kind, at, times, after, chance, delayMs }),
    /** The fault that hits this call, if any. */
    take: (endpoint: string): { kind: FaultKind; delayMs: number } | undefined => {
      const order = orders.find(({ at, times }) => (at === '*' || at === endpoint) && times > 0)
      if (!order) return undefined
      if (order.after > 0) {
        order.after--
        return undefined
      }
      if (random.next() >= order.chance) return undefined
      order.times--
      happened.push({ kind: order.kind, at: endpoint })
      return order
    },
    /** What has happened so far, in order. */
    happened: () => [...happened],
    clear: (): void => {
      orders = []
    },
  }
}
