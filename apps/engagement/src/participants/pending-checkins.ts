/** A check-in that is in tracking's buffer and not in the database yet. */
export type PendingCheckin = {
  /** The buffer entry, `<ms>-<seq>`, by Redis's clock. */
  entryId: string
  recordedAtMs: number
}

// 14 digits of milliseconds last until the year 5138, and PostgreSQL reads them.
const ELEMENT = /^(\d{1,16}-\d{1,20})\|(\d{1,14})$/

/** Parses the elements `<entryId>|<recordedAtMs>` of `{sNN}:pending:<userId>`; others are skipped. */
export function readPending(elements: readonly string[]): PendingCheckin[] {
  const pending: PendingCheckin[] = []
  for (const element of elements) {
    const [, entryId, recordedAt] = ELEMENT.exec(element) ?? []
    if (entryId !== undefined && recordedAt !== undefined)
      pending.push({ entryId, recordedAtMs: Number(recordedAt) })
  }
  return pending
}

/** Whether a buffer entry comes after another: by number, for `9-0` comes before `10-0`. */
export function isAfter(entryId: string, cursor: string): boolean {
  const [ms, seq] = partsOf(entryId)
  const [cursorMs, cursorSeq] = partsOf(cursor)
  return ms > cursorMs || (ms === cursorMs && seq > cursorSeq)
}

/** Counts check-ins after a cursor; two of one time are one check-in. */
export function countPending(pending: readonly PendingCheckin[], cursor: string): number {
  return new Set(pending.filter(({ entryId }) => isAfter(entryId, cursor)).map((one) => one.recordedAtMs))
    .size
}

/** When Redis received the latest of them; null without any. */
export function lastReceivedMs(pending: readonly PendingCheckin[]): number | null {
  const last = pending.at(-1)
  return last ? Number(last.entryId.split('-')[0]) : null
}

function partsOf(entryId: string): [bigint, bigint] {
  const [ms = '0', seq = '0'] = entryId.split('-')
  return [BigInt(ms), BigInt(seq)]
}
