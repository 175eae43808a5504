import { encodeLine } from './line.ts'
import type { Segment } from './segment.ts'

/** The place of an entry in the journal. */
export type Receipt = { readonly segment: Segment; readonly index: number }

/** The receipt of an entry so many places behind another of the same call. */
export const receiptBehind = ({ segment, index }: Receipt, places: number): Receipt => ({
  segment,
  index: index + places,
})

type Waiting = { lines: string; count: number; resolve: (first: Receipt | null) => void }

/**
 * Collects the entries of one event-loop tick and writes them with one call: a thousand check-ins cost hardly more than
 * one. Every promise resolves once its entry is in the file, or with null when it is not.
 */
export function groupCommit(write: (lines: string, count: number) => Promise<Segment | null>) {
  let queue: Waiting[] = []
  let committing: Promise<void> | undefined

  const commit = async () => {
    while (queue.length > 0) {
      const group = queue
      queue = []
      const count = group.reduce((sum, one) => sum + one.count, 0)
      const segment = await write(group.map(({ lines }) => lines).join(''), count)
      let index = segment ? segment.entries - count : 0
      for (const { count, resolve } of group) {
        resolve(segment && { segment, index })
        index += count
      }
    }
    committing = undefined
  }

  /** Resolves with the receipt of the first; those of the others follow it (`receiptBehind`). */
  const appendAll = (jsons: readonly string[]): Promise<Receipt | null> =>
    new Promise((resolve) => {
      let lines = ''
      for (const json of jsons) lines += encodeLine(json)
      queue.push({ lines, count: jsons.length, resolve })
      committing ??= new Promise<void>((tick) => setImmediate(tick)).then(commit)
    })

  return {
    append: (json: string): Promise<Receipt | null> => appendAll([json]),
    appendAll,
    /** Resolves when nothing waits to be written. */
    settled: async () => {
      while (committing) await committing
    },
  }
}
