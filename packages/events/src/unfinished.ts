import type { ConsumerGroup } from './consumer-group.ts'
import type { Entry } from './stream.ts'

const BEGINNING = '0-0'

/** What this consumer got and did not finish: before a restart, or before Redis vanished in between. */
export async function* ownEntries(group: ConsumerGroup): AsyncGenerator<Entry> {
  let entry = await group.readOwn(BEGINNING)
  while (entry) {
    yield entry
    entry = await group.readOwn(entry.entryId)
  }
}

/**
 * What anybody of the group got and has not finished for so long; one by one, so that each is fresh when it comes to
 * its handler. `onLost` is called for entries that were trimmed away before.
 */
export async function* abandonedEntries(
  group: ConsumerGroup,
  { idleMs, onLost }: { idleMs: number; onLost: (entryIds: readonly string[]) => void },
): AsyncGenerator<Entry> {
  let cursor = BEGINNING
  do {
    const { next, entries, lost } = await group.claim(idleMs, cursor)
    if (lost.length > 0) onLost(lost)
    yield* entries
    cursor = next
  } while (cursor !== BEGINNING)
}
