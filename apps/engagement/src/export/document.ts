import { toIso } from '@palanquin/domain/time'
import { ApiError } from '@palanquin/service/http/api-error'
import { type RecordStores, readRecords } from '../participants/record.ts'
import type { ReadPoints } from './points.ts'
import type { ExportedLists } from './rows.ts'

export type ExportStores = {
  records: RecordStores
  lists: ExportedLists
  readPoints: ReadPoints
  now: () => number
}

/** All that is kept of a participant, as the text of one JSON document; null: unknown. @throws StoreUnavailable */
export async function exportOf(
  { records, lists, readPoints, now }: ExportStores,
  userId: string,
  requestId: string,
): Promise<AsyncGenerator<string> | ApiError | null> {
  const [record] = await readRecords(records, [userId])
  if (!record) return null
  const { profile, staffFields, snapshot } = record
  const [consents, surveys, feedback, photos, cards, devices, sessions, links, carries] = await Promise.all([
    lists.consents(userId),
    lists.surveys(userId),
    lists.feedback(userId),
    lists.photos(userId),
    lists.cards(userId),
    lists.devices(userId),
    lists.sessions(userId),
    lists.shares(userId),
    lists.carries(userId),
  ])
  const { phone, role, createdAtMs } = staffFields
  const known = {
    exportedAt: toIso(now()),
    profile: { ...profile, phone, role, createdAt: createdAtMs === null ? null : toIso(createdAtMs) },
    consents,
    survey: snapshot.participant?.survey ? (surveys.at(-1) ?? null) : null,
    surveyHistory: surveys,
    feedback,
    photos,
    cards,
    devices,
    sessions,
    shares: links,
    carries,
  }
  const checkins = await readPoints(userId, { kind: 'checkin', requestId })
  if (checkins instanceof ApiError) return checkins
  return document(known, checkins, () => readPoints(userId, { requestId }))
}

async function* document(
  known: object,
  checkins: AsyncIterable<string>,
  readAllPoints: () => ReturnType<ReadPoints>,
): AsyncGenerator<string> {
  yield `{"ok":true,"data":${JSON.stringify(known).slice(0, -1)},"checkins":`
  yield* checkins
  yield ',"points":'
  const points = await readAllPoints()
  // The beginning is sent: the document breaks off, and does not look whole.
  if (points instanceof ApiError) throw points
  yield* points
  yield '}}'
}
