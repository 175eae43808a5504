import type { Database } from '@palanquin/db/client'
import {
  changeParticipant,
  maskPhone,
  type ParticipantStatus,
  type Profile,
  type UserSyncBody,
} from '@palanquin/domain/participant'
import { toIso } from '@palanquin/domain/time'
import type { ReceiptOf } from '@palanquin/service/erasure-token'
import { ApiError } from '@palanquin/service/http/api-error'
import { receivedAtOf } from '@palanquin/service/http/headers'
import type { Achievements } from '../achievements/unlock.ts'
import { plainName } from './display-name.ts'
import { readPhone } from './phone-number.ts'
import { type ProfileStores, readProfile } from './read-profile.ts'
import type { RefreshViews } from './refresh-views.ts'
import type { Consent, ConsentAndStatus, ParticipantStore, Sender } from './store.ts'

export type Participants = ProfileStores & {
  db: Database
  store: ParticipantStore
  achievements: Achievements
  /** The person of a device that was joined to a LINE id; any other id's own. */
  ownerOf: (userId: string) => Promise<string>
  receiptOf: ReceiptOf
  /** Published before the response: tracking follows a withdrawal before the next request. */
  publishOutbox: () => Promise<void>
  /** Waits until every process has the participant's status and consent. */
  refreshViews: RefreshViews
}

/** Each lost attempt is a concurrent change of the same participant. */
const TRIES_MAX = 3

/** What was sent, as its owner's (`ownerOf`), and when it was received. @throws StoreUnavailable */
export const asOwner = async <T extends { userId: string }>(
  { ownerOf, receiptOf }: Pick<Participants, 'ownerOf' | 'receiptOf'>,
  { body: input, request }: { body: T; request: Request },
): Promise<T & Sender> => {
  const receivedAt = receivedAtOf(request.headers)
  const userId = await ownerOf(input.userId)
  return { ...input, userId, receipt: receiptOf(userId, receivedAt) }
}

/** Creates the participant or updates the given fields; returns the profile. */
export async function syncUser(
  participants: Participants,
  input: UserSyncBody & Sender,
): Promise<Profile | ApiError> {
  const { userId } = input
  const displayName = typeof input.displayName === 'string' ? plainName(input.displayName) : null
  if (displayName === '')
    return new ApiError('invalid', 'displayName: expected a text of 1 to 100 characters')
  const pictureUrl = input.pictureUrl ?? null
  const row = await participants.store.sync(input, {
    displayName,
    pictureUrl,
    language: input.language ?? null,
  })
  await announce(participants, userId, row !== null)
  const profile = await readProfile(participants, userId)
  return profile ?? busy() // erased concurrently
}

/** Sets or removes (null) the phone number, which may be the last condition of the achievement. */
export async function setPhone(
  participants: Participants,
  { phone: typed, ...sender }: Sender & { phone: string | null },
): Promise<{ userId: string; phone: string | null } | ApiError> {
  const read = readPhone(typed)
  if (read instanceof ApiError) return read
  const { phone } = read
  const { userId } = sender
  const row = await participants.store.setPhone(sender, phone)
  const unlocked = phone === null ? [] : await participants.achievements.unlock([userId])
  await announce(participants, userId, row !== null || unlocked.length > 0)
  return { userId, phone: phone === null ? null : maskPhone(phone) }
}

/** Records a consent or its withdrawal; a repeated one keeps the time of the first. */
export async function recordConsent(
  participants: Participants,
  sender: Sender,
  consent: Consent,
): Promise<Consent & { recordedAt: string }> {
  const { userId } = sender
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const changed = await participants.store.setConsent(sender, consent)
    await announceAccess(participants, userId, changed !== null)
    const row = changed ?? (await participants.store.read(userId))
    if (row?.consentAt && isSame(row, consent))
      return { ...consent, recordedAt: toIso(row.consentAt.getTime()) }
  }
  throw busy()
}

const isSame = (a: Consent, b: Consent): boolean =>
  a.consent === b.consent && a.version === b.version && a.visibility === b.visibility

/** Changes the status as the domain allows; else a conflict with the domain's message. */
export async function setStatus(
  participants: Participants,
  { status, ...sender }: Sender & { status: ParticipantStatus },
): Promise<{ userId: string; status: ParticipantStatus } | ApiError> {
  const { userId } = sender
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const changed = await participants.store.setStatus(sender, status)
    await announceAccess(participants, userId, changed !== null)
    if (changed) return { userId, status }
    const outcome = judge(await participants.store.read(userId), status)
    if (outcome === 'same') return { userId, status }
    if (outcome instanceof ApiError) return outcome
  }
  throw busy()
}

function judge(row: ConsentAndStatus | null, to: ParticipantStatus): 'same' | 'again' | ApiError {
  if (!row) return 'again'
  const change = changeParticipant(row.status, to)
  if ('refused' in change) return new ApiError('conflict', change.refused)
  return change.changed ? 'again' : 'same'
}

/** Drops the cache even where nothing changed: this may retry a write whose response was lost. */
export const announce = (
  { cache, publishOutbox }: Participants,
  userId: string,
  changed: boolean,
): Promise<unknown> => Promise.all([cache.drop(userId), changed ? publishOutbox() : undefined])

/** As `announce`, for what every process follows when this resolves (contract 8.13), even if nothing changed. */
export const announceAccess = (
  participants: Participants,
  userId: string,
  changed: boolean,
): Promise<unknown> =>
  Promise.all([announce(participants, userId, changed), participants.refreshViews(userId)])

export const busy = () =>
  new ApiError(
    'unavailable',
    'Somebody else is changing this participant right now; please try again shortly.',
  )
