import type { PointKind } from '@palanquin/domain/point'

/** What the sender of a write knows of it. */
export type Outcome = 'acknowledged' | 'indeterminate' | 'refused'

/** What was found of the writes; `lost`, `doubled` and `phantom` are their keys, and none may be left. */
export type Verdict = {
  acknowledged: number
  indeterminate: number
  /** Answered for, and not there. */
  lost: string[]
  /** There more than once. */
  doubled: string[]
  /** There, though never sent, or refused to every sender. */
  phantom: string[]
}

export type Ledger = ReturnType<typeof ledger>

/** The key under which a point is there at most once: contract section 3. `recordedAt` in epoch ms. */
export const pointKey = ({
  userId,
  kind,
  recordedAt,
}: {
  userId: string
  kind: PointKind
  recordedAt: number
}): string => `${userId}|${kind}|${recordedAt}`

/** What a status says; null is an answer that never came. A 5xx may have taken effect, a 4xx has not. */
export function outcomeOf(status: number | null | undefined): Outcome {
  if (status === null || status === undefined || status >= 500) return 'indeterminate'
  return status < 400 ? 'acknowledged' : 'refused'
}

/** What was sent, and what was answered for: each write by its key, however often it was tried. */
export function ledger() {
  const acknowledged = new Set<string>()
  const open = new Set<string>()
  return {
    note: (key: string, outcome: Outcome): void => {
      if (outcome === 'acknowledged') acknowledged.add(key)
      else if (outcome === 'indeterminate') open.add(key)
    },
    /** Holds what is there, each key as often as it is found, against what was sent. */
    check: (stored: Iterable<string>): Verdict => {
      const found = new Set<string>()
      const doubled = new Set<string>()
      for (const key of stored) {
        if (found.has(key)) doubled.add(key)
        found.add(key)
      }
      return {
        acknowledged: acknowledged.size,
        indeterminate: [...open].filter((key) => !acknowledged.has(key)).length,
        lost: [...acknowledged].filter((key) => !found.has(key)),
        doubled: [...doubled],
        phantom: [...found].filter((key) => !acknowledged.has(key) && !open.has(key)),
      }
    },
  }
}
