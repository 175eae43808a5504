import type { Column } from '@palanquin/service/http/csv'
import { answerColumns } from '../answer-cells.ts'
import { carbonColumns, timeCells } from '../shared-columns.ts'
import type { ParticipantRow } from './item.ts'

/** The list as a table, with the same fields under the same names, times in the event's zone, and the survey in words. */
export function participantColumns(timeZone: string): readonly Column<ParticipantRow>[] {
  const inZone = timeCells(timeZone)
  return [
    { name: 'userId', value: ({ item: { userId } }) => userId },
    { name: 'displayName', value: ({ item: { displayName } }) => displayName },
    { name: 'phone', value: ({ item: { phone } }) => phone },
    { name: 'status', value: ({ item: { status } }) => status },
    { name: 'role', value: ({ item: { role } }) => role },
    { name: 'language', value: ({ item: { language } }) => language },
    { name: 'privacyConsent', value: ({ item: { privacyConsent } }) => privacyConsent },
    { name: 'surveyCompleted', value: ({ item: { surveyCompleted } }) => surveyCompleted },
    { name: 'distanceKm', value: ({ item: { distanceKm } }) => distanceKm },
    { name: 'walkedKm', value: ({ item: { walkedKm } }) => walkedKm },
    { name: 'motorizedKm', value: ({ item: { motorizedKm } }) => motorizedKm },
    { name: 'checkins', value: ({ item: { checkins } }) => checkins },
    { name: 'photos', value: ({ item: { photos } }) => photos },
    { name: 'level', value: ({ item: { level } }) => level?.level },
    { name: 'levelNameZh', value: ({ item: { level } }) => level?.nameZh },
    { name: 'levelNameEn', value: ({ item: { level } }) => level?.nameEn },
    ...carbonColumns<ParticipantRow>(({ item: { carbon } }) => carbon),
    { name: 'achievementUnlocked', value: ({ item: { achievement } }) => achievement.unlocked },
    { name: 'achievementMissing', value: ({ item: { achievement } }) => achievement.missing.join(' ') },
    { name: 'lastSeenAt', value: ({ item: { lastSeenAt } }) => inZone(lastSeenAt) },
    { name: 'createdAt', value: ({ item: { createdAt } }) => inZone(createdAt) },
    { name: 'lastLat', value: ({ item: { lastPosition } }) => lastPosition?.lat },
    { name: 'lastLng', value: ({ item: { lastPosition } }) => lastPosition?.lng },
    { name: 'lastRecordedAt', value: ({ item: { lastPosition } }) => inZone(lastPosition?.recordedAt) },
    { name: 'battery', value: ({ item: { battery } }) => battery },
    { name: 'carriesId', value: ({ item: { carries } }) => carries?.id },
    { name: 'carriesNameZh', value: ({ item: { carries } }) => carries?.name.zh },
    { name: 'carriesNameEn', value: ({ item: { carries } }) => carries?.name.en },
    { name: 'pictureUrl', value: ({ item: { pictureUrl } }) => pictureUrl },
    ...answerColumns<ParticipantRow>(({ item: { language }, survey }) => ({ survey, language })),
  ]
}
