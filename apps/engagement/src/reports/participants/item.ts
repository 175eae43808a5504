import { Nullable } from '@palanquin/domain/optional'
import { Profile } from '@palanquin/domain/participant'
import { Role } from '@palanquin/domain/role'
import type { Survey } from '@palanquin/domain/survey'
import { Iso, toIso } from '@palanquin/domain/time'
import Type, { type Static } from 'typebox'
import { PROFILE } from '../../participants/examples.ts'
import type { ParticipantRecord } from '../../participants/record.ts'
import { CarriedBeacon } from './carries.ts'
import { LastPosition, NO_POSITION } from './last-position.ts'
import type { LastSeen } from './last-seen.ts'

/** A participant in the list of organisers. */
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

/** An item with the answers of the survey, for the table and for one participant alone. */
export type ParticipantRow = { item: ParticipantItem; survey: Survey | null }

export const participantItem = (
  { profile, staffFields: { phone, role, createdAtMs } }: ParticipantRecord,
  { carries, seen }: { carries: CarriedBeacon | null; seen: LastSeen | undefined },
): ParticipantItem => ({
  ...profile,
  phone,
  role,
  createdAt: createdAtMs === null ? null : toIso(createdAtMs),
  carries,
  ...positionOf(seen),
})

/** Without the place: the list is for maps and tables. */
function positionOf(seen: LastSeen | undefined): LastPosition {
  if (!seen?.lastPosition) return NO_POSITION
  const { lat, lng, recordedAt } = seen.lastPosition
  return { lastPosition: { lat, lng, recordedAt }, battery: seen.battery }
}
