import type { Database } from '@palanquin/db/client'
import { FIND_PHONE_DIGITS_MIN, FOUND_MAX } from '@palanquin/domain/find'
import { isUserId } from '@palanquin/domain/ids'
import { withoutPhoneNumbers } from '@palanquin/domain/phone'
import type { FindBuffered } from '../participants/buffer-reader.ts'
import { phoneDigits } from '../reports/participants/filter.ts'
import { readLastSeen } from '../reports/participants/last-seen.ts'
import type { ReadLivePositions } from '../reports/participants/live-positions.ts'
import type { Administrator } from '../roles/caller.ts'
import type { FindStore, FoundRow } from './store.ts'
import { type FoundParticipants, foundView } from './view.ts'

/** Enough to compare with what somebody was asked for, too few to call. */
const SHOWN_DIGITS = 3

export type FindDependencies = {
  store: FindStore
  db: Database
  findBuffered: FindBuffered
  /** Whose an id is that was joined to another. */
  ownerOf: (userId: string) => Promise<string>
  readLive: ReadLivePositions
}

export type Question = { q: string; reason: string; requestId: string }

/** Finds participants for an organiser, with question and result in the audit first. @throws StoreUnavailable */
export async function find(
  { store, db, findBuffered, ownerOf, readLive }: FindDependencies,
  { q, reason, requestId }: Question,
  { role, by }: Administrator,
): Promise<FoundParticipants> {
  const matches = await store.search(q)
  const isKnown = matches.some(({ userId }) => userId === q)
  if (!isKnown && isUserId(q) && (await ownerOf(q)) === q && (await findBuffered([q])).length > 0)
    matches.unshift(unregistered(q))
  const shown = matches.slice(0, FOUND_MAX)
  const userIds = shown.map(({ userId }) => userId)
  await store.noteSearch(by, {
    reason: withoutPhoneNumbers(reason),
    asked: userIds.includes(q) ? q : noted(q),
    userIds,
  })
  const [seen, cases] = await Promise.all([
    readLastSeen({ db, readLive }, userIds, { withPlaces: true, requestId }),
    store.openCases(userIds),
  ])
  return {
    items: shown.map((row) =>
      foundView(row, { role, seen: seen.get(row.userId), cases: cases.get(row.userId) ?? [] }),
    ),
    more: matches.length > FOUND_MAX,
  }
}

/** Of whom only the buffer knows: between the first point and the first flush. */
const unregistered = (userId: string): FoundRow => ({
  userId,
  displayName: null,
  phone: null,
  hasWithdrawn: false,
})

/** What was asked, as the audit keeps it: of a phone number the last digits. */
function noted(q: string): string {
  const digits = phoneDigits(q)
  if (digits === null || digits.length < FIND_PHONE_DIGITS_MIN) return withoutPhoneNumbers(q)
  return `•••••${digits.slice(-SHOWN_DIGITS)}`
}
