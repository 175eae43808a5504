import { encodeLine } from './line.ts'
import type { Segment } from './segment.ts'

/** The place of an entry in the journal. */
export type Receipt = { readonly segment: Segment; readonly index: number }

type Waiting = { line: string; resolve: (receipt: Receipt | null) => void }

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
      const segment = await write(group.map(({ line }) => line).join(''), group.length)
      const first = segment ? segment.entries - group.length : 0
      group.forEach(({ resolve }, at) => {
        resolve(segment && { segment, index: first + at })
      })
    }
    committing = undefined
  }

  return {
    append: (json: string): Promise<Receipt | null> =>
      new Promise((resolve) => {
        queue.push({ line: encodeLine(json), resolve })
        committing ??= new Promise<void>((tick) => setImmediate(tick)).then(commit)
      }),
    /** Resolves when nothing waits to be written. */
    settled: async () => {
      while (committing) await committing
    },
  }
}
