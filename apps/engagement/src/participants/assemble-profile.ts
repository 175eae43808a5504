import { achievement } from '@palanquin/domain/achievement'
import { type Carbon, carbonOf } from '@palanquin/domain/carbon'
import { DEFAULT_LANGUAGE } from '@palanquin/domain/language'
import { type LevelKm, levelAnswer, levelKmOf } from '@palanquin/domain/level'
import type { Profile } from '@palanquin/domain/participant'
import { round3 } from '@palanquin/domain/round'
import { toIso } from '@palanquin/domain/time'
import type { BasedProfile } from './cache-entry.ts'
import { countPending, lastReceivedMs, type PendingCheckin } from './pending-checkins.ts'
import type { Snapshot } from './snapshot.ts'

/** The profile, rounded; null without a row, a track or a buffered point. */
export function assembleProfile(
  userId: string,
  { snapshot, pending, isBuffered, levelKm }: Known,
): Profile | null {
  const { participant, track } = snapshot
  if (snapshot.isLinked || (!participant && !track && !isBuffered)) return null
  const walkedKm = track?.walkedKm ?? 0
  const motorizedKm = track?.motorizedKm ?? 0
  const distanceKm = walkedKm + motorizedKm
  const checkins = (track?.checkins ?? 0) + snapshot.pendingCheckins
  const surveyCompleted = participant?.surveyCompleted ?? false
  const phone = participant?.phone ?? null
  return {
    userId,
    displayName: participant?.displayName ?? null,
    pictureUrl: participant?.pictureUrl ?? null,
    language: participant?.language ?? DEFAULT_LANGUAGE,
    status: participant?.status ?? 'active',
    privacyConsent: participant?.consent ?? false,
    surveyCompleted: surveyCompleted ? 1 : 0,
    hasPhone: phone !== null,
    phone,
    distanceKm: round3(distanceKm),
    walkedKm: round3(walkedKm),
    motorizedKm: round3(motorizedKm),
    checkins,
    photos: snapshot.photos,
    level: levelAnswer(levelKmOf(levelKm, { walkedKm, motorizedKm }), checkins),
    carbon: carbonAnswer({ snapshot, walkedKm, motorizedKm }),
    achievement: achievement({ checkins, surveyCompleted, hasPhone: phone !== null }),
    lastSeenAt: lastSeenAt(snapshot, pending),
  }
}

/** What the stores know of a participant. */
export type Known = {
  snapshot: Snapshot
  /** Check-ins in the buffer when the snapshot was read. */
  pending: readonly PendingCheckin[]
  isBuffered: boolean
  /** The kilometres that count for a level. */
  levelKm: LevelKm
}

/** While the database is away nothing is flushed: check-ins after the profile's cursor are pending. */
export function withPresentCheckins(
  { profile, basis }: BasedProfile,
  { pending, levelKm }: { pending: readonly PendingCheckin[]; levelKm: LevelKm },
): Profile {
  const checkins = profile.checkins - basis.pendingCheckins + countPending(pending, basis.cursor)
  const { surveyCompleted, hasPhone, lastSeenAt } = profile
  const seenMs = [lastSeenAt === null ? null : Date.parse(lastSeenAt), lastReceivedMs(pending)]
  return {
    ...profile,
    checkins,
    level: levelAnswer(levelKmOf(levelKm, basis), checkins),
    achievement: achievement({ checkins, surveyCompleted: surveyCompleted === 1, hasPhone }),
    lastSeenAt: latest(seenMs),
  }
}

type Distances = { snapshot: Snapshot; walkedKm: number; motorizedKm: number }

function carbonAnswer({ snapshot, walkedKm, motorizedKm }: Distances): Carbon {
  const survey = snapshot.participant?.survey
  const carbon = carbonOf({
    travel: survey?.q3 ?? {},
    walkedKm,
    motorizedKm,
    waterBottles: survey?.q7 ?? 0,
    recycledBottles: survey?.q8 ?? 0,
    hotelNights: survey?.q5 ?? 0,
  })
  return {
    travelKg: round3(carbon.travelKg),
    trackedKg: round3(carbon.trackedKg),
    waterKg: round3(carbon.waterKg),
    recycleKg: round3(carbon.recycleKg),
    hotelKg: round3(carbon.hotelKg),
    totalKg: round3(carbon.totalKg),
    avoidedKg: round3(carbon.avoidedKg),
  }
}

const lastSeenAt = ({ participant, track }: Snapshot, pending: readonly PendingCheckin[]): string | null =>
  latest([participant?.updatedAtMs ?? null, track?.lastSeenAtMs ?? null, lastReceivedMs(pending)])

function latest(timesMs: readonly (number | null)[]): string | null {
  const known = timesMs.filter((ms) => ms !== null)
  return known.length === 0 ? null : toIso(Math.max(...known))
}
