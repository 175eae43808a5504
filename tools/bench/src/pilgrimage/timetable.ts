import { PEAK, ratesOf } from './peak.ts'

/** What one participant sends; the flush and new connections follow from these. */
export const KINDS = ['sync', 'checkin', 'profile', 'map'] as const
export type Kind = (typeof KINDS)[number]

/** The `index`-th request of its kind, due so long after the start; `opens` a TLS connection of its own. */
export type Due = { kind: Kind; index: number; atMs: number; opens: boolean }

const isKind = (stage: string): stage is Kind => KINDS.some((kind) => kind === stage)

/** When requests are due that so many participants send at their peak, in the order of time. */
export function* timetable(participants: number, seconds: number): Generator<Due, void> {
  const lanes = Object.entries(ratesOf(participants)).flatMap(([kind, perS], at, all) =>
    isKind(kind) && perS > 0
      ? [{ kind, everyMs: 1_000 / perS, phase: (at + 0.5) / all.length, index: 0 }]
      : [],
  )
  const dueOf = ({ everyMs, phase, index }: (typeof lanes)[number]) => (index + phase) * everyMs
  for (;;) {
    const next = lanes.reduce((a, b) => (dueOf(b) < dueOf(a) ? b : a))
    const atMs = dueOf(next)
    if (atMs >= seconds * 1_000) return
    const { kind, index } = next
    next.index++
    yield { kind, index, atMs, opens: kind !== 'map' && isShare(index, PEAK.newConnectionShare) }
  }
}

/** Whether the `index`-th of many belongs to a share of them, spread evenly. */
const isShare = (index: number, share: number): boolean =>
  Math.floor((index + 1) * share) > Math.floor(index * share)
