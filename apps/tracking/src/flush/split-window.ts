import { KIND_LETTER } from '../buffer/entry.ts'
import { type BatchBounds, type Entry, pointsIn } from '../buffer/read.ts'

/** Entries of a shard's stream that follow one another, and the batches in which they are stored. */
export type Window = { entries: readonly Entry[]; batches: readonly (readonly Entry[])[] }

type Sender = { entries: Entry[]; hasCheckin: boolean }

/**
 * Divides the head of a stream by participants: a flush costs by the participant, so what one sent comes in one batch (in several,
 * if it is more than a batch holds). Whoever checked in is in the last one, which alone moves the shard's cursor: a check-in
 * behind the cursor is counted as pending. A window ends where its last batch would be more than a batch holds. Order is kept
 * within each participant.
 */
export function splitWindow(head: readonly Entry[], bounds: BatchBounds): Window {
  const { entries, senders } = untilLastIsFull(head, bounds)
  const { settled = [], checkedIn = [] } = Object.groupBy(senders, ({ hasCheckin }) =>
    hasCheckin ? 'checkedIn' : 'settled',
  )
  const batches = filled(
    settled.map((sender) => sender.entries),
    bounds,
  )
  const last = checkedIn.flatMap((sender) => sender.entries)
  return { entries, batches: last.length > 0 ? [...batches, last] : batches }
}

/** The longest head of which those who checked in fit into one batch; at least one entry. */
function untilLastIsFull(
  head: readonly Entry[],
  bounds: BatchBounds,
): { entries: readonly Entry[]; senders: Sender[] } {
  const senders = new Map<string, Sender>()
  const last = { entries: 0, points: 0 }
  for (const [at, entry] of head.entries()) {
    const userId = entry.fields.u ?? ''
    const sender = senders.get(userId) ?? { entries: [], hasCheckin: false }
    const isCheckin = entry.fields.k === KIND_LETTER.checkin
    if (sender.hasCheckin || isCheckin) {
      const joining = sender.hasCheckin ? [entry] : [...sender.entries, entry]
      last.entries += joining.length
      last.points += pointsOf(joining)
      if (at > 0 && (last.entries > bounds.entries || last.points > bounds.points))
        return { entries: head.slice(0, at), senders: [...senders.values()] }
    }
    sender.entries.push(entry)
    sender.hasCheckin ||= isCheckin
    senders.set(userId, sender)
  }
  return { entries: head, senders: [...senders.values()] }
}

/** Batches of whole groups, as full as they may be. */
function filled(groups: readonly (readonly Entry[])[], bounds: BatchBounds): Entry[][] {
  const batches: Entry[][] = []
  let left = { entries: 0, points: 0 }
  const open = (): void => {
    batches.push([])
    left = { ...bounds }
  }
  for (const group of groups) {
    if (group.length > left.entries || pointsOf(group) > left.points) open()
    for (const entry of group) {
      if (left.entries <= 0 || left.points <= 0) open()
      batches.at(-1)?.push(entry)
      left.entries--
      left.points -= pointsIn(entry)
    }
  }
  return batches
}

const pointsOf = (entries: readonly Entry[]): number =>
  entries.reduce((sum, entry) => sum + pointsIn(entry), 0)
