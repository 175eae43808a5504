import { Nullable } from '@palanquin/domain/optional'
import { Profile } from '@palanquin/domain/participant'
import { Role } from '@palanquin/domain/role'
import { Iso, toIso } from '@palanquin/domain/time'
import type { Column } from '@palanquin/service/http/csv'
import Type, { type Static } from 'typebox'
import { PROFILE } from '../../participants/examples.ts'
import type { ParticipantRecord } from '../participant-record.ts'
import { CarriedBeacon } from './carries.ts'
import { LastPosition } from './last-position.ts'

/** A participant in the list of organisers: the profile, the whole phone number, and fields for staff. */
export const ParticipantItem = Type.Object({
  ...Profile.properties,
  phone: Nullable(
    Type.String({ examples: ['+886912345678'] }),
    'the whole number in E.164; null where none is stored',
  ),
  role: Nullable(Role, 'what the participant may do, if anything: owner, manager or volunteer'),
  createdAt: Nullable(Iso, 'when they were registered; null until the first flush was processed'),
  carries: Nullable(
    CarriedBeacon,
    'the beacon that the device carries, if any: what it sends meanwhile is in no figure',
  ),
  ...LastPosition.properties,
})
export type ParticipantItem = Static<typeof ParticipantItem>

export const PARTICIPANT = {
  ...PROFILE,
  phone: '+886912345678',
  role: null,
  createdAt: '2026-04-20T08:30:00.000Z',
  carries: null,
  lastPosition: { lat: 24.5663, lng: 120.7081, recordedAt: '2026-05-01T14:59:30.000Z' },
  battery: 62,
}

export const participantItem = (
  { profile, staffFields: { phone, role, createdAtMs } }: ParticipantRecord,
  { carries, last }: { carries: CarriedBeacon | null; last: LastPosition },
): ParticipantItem => ({
  ...profile,
  phone,
  role,
  createdAt: createdAtMs === null ? null : toIso(createdAtMs),
  carries,
  ...last,
})

/** The list as a table, with the same fields under the same names. */
export const PARTICIPANT_COLUMNS: readonly Column<ParticipantItem>[] = [
  { name: 'userId', value: ({ userId }) => userId },
  { name: 'displayName', value: ({ displayName }) => displayName },
  { name: 'phone', value: ({ phone }) => phone },
  { name: 'status', value: ({ status }) => status },
  { name: 'role', value: ({ role }) => role },
  { name: 'language', value: ({ language }) => language },
  { name: 'privacyConsent', value: ({ privacyConsent }) => privacyConsent },
  { name: 'surveyCompleted', value: ({ surveyCompleted }) => surveyCompleted },
  { name: 'distanceKm', value: ({ distanceKm }) => distanceKm },
  { name: 'walkedKm', value: ({ walkedKm }) => walkedKm },
  { name: 'motorizedKm', value: ({ motorizedKm }) => motorizedKm },
  { name: 'checkins', value: ({ checkins }) => checkins },
  { name: 'photos', value: ({ photos }) => photos },
  { name: 'level', value: ({ level }) => level?.level },
  { name: 'levelNameZh', value: ({ level }) => level?.nameZh },
  { name: 'levelNameEn', value: ({ level }) => level?.nameEn },
  { name: 'travelKg', value: ({ carbon }) => carbon.travelKg },
  { name: 'trackedKg', value: ({ carbon }) => carbon.trackedKg },
  { name: 'waterKg', value: ({ carbon }) => carbon.waterKg },
  { name: 'recycleKg', value: ({ carbon }) => carbon.recycleKg },
  { name: 'hotelKg', value: ({ carbon }) => carbon.hotelKg },
  { name: 'totalKg', value: ({ carbon }) => carbon.totalKg },
  { name: 'avoidedKg', value: ({ carbon }) => carbon.avoidedKg },
  { name: 'achievementUnlocked', value: ({ achievement }) => achievement.unlocked },
  { name: 'achievementMissing', value: ({ achievement }) => achievement.missing.join(' ') },
  { name: 'lastSeenAt', value: ({ lastSeenAt }) => lastSeenAt },
  { name: 'createdAt', value: ({ createdAt }) => createdAt },
  { name: 'lastLat', value: ({ lastPosition }) => lastPosition?.lat },
  { name: 'lastLng', value: ({ lastPosition }) => lastPosition?.lng },
  { name: 'lastRecordedAt', value: ({ lastPosition }) => lastPosition?.recordedAt },
  { name: 'battery', value: ({ battery }) => battery },
  { name: 'carriesId', value: ({ carries }) => carries?.id },
  { name: 'carriesNameZh', value: ({ carries }) => carries?.name.zh },
  { name: 'carriesNameEn', value: ({ carries }) => carries?.name.en },
  { name: 'pictureUrl', value: ({ pictureUrl }) => pictureUrl },
]
