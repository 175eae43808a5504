import { readFileSync } from 'node:fs'
import { type Recording, readRecording as read } from '@palanquin/recordings/recording'
import { Unreadable } from '@palanquin/recordings/unreadable'
import type { Api } from '@palanquin/stack/api'
import { LauncherError } from '@palanquin/stack/launcher-error'
import { table } from '@palanquin/stack/table'
import { type SentPoint, SYNC_POINTS_MAX } from './pilgrim/actions.ts'
import { createProgressBar } from './progress-bar.ts'
import { createRequestCounts } from './request-counts.ts'
import { createSender } from './send.ts'

/** Replays a recording as one participant, shifted in time so that it ends now, and reports the result. */
export async function replay(api: Api, file: string, userId: string, now: () => number): Promise<string> {
  const recording = readRecording(bytesOf(file))
  const points = endingAt(recording, now())
  const counts = createRequestCounts()
  const sender = createSender(api, counts, (work) => work())
  await sender.profile(userId, { displayName: 'Recorded walk', language: 'en' })
  await sender.consent(userId, true)
  const batches = Array.from({ length: Math.ceil(points.length / SYNC_POINTS_MAX) }, (_, index) =>
    points.slice(index * SYNC_POINTS_MAX, (index + 1) * SYNC_POINTS_MAX),
  )
  const bar = createProgressBar(batches.length, () => `${counts.points.sent} of ${points.length} points sent`)
  for (const batch of batches) {
    await sender.sync(userId, batch)
    bar.moved()
  }
  bar.finish()
  const last = points.at(-1)
  if (last) await sender.checkin(userId, last)
  await api.flush()
  const { distanceKm, walkedKm, motorizedKm, checkins, level } = await api.profile(userId)
  const rejected = [...counts.points.rejected].map(([reason, count]) => `${count} ${reason}`)
  return table(
    [`A recording (${recording.format})`, ''],
    [
      ['Points in the file', `${recording.fixes.length + recording.withoutTime + recording.withoutPlace}`],
      ['Left out here', `${recording.withoutTime} without a time, ${recording.withoutPlace} without a place`],
      [
        'Kept',
        `${counts.points.buffered}, ${counts.points.filtered} of them too inaccurate or fast to count`,
      ],
      [
        'Not kept',
        `${counts.points.duplicates} of a time that was there already, rejected: ${rejected.join(', ') || 'none'}`,
      ],
      ['Distance', `${distanceKm} km (${walkedKm} on foot, ${motorizedKm} by motor)`],
      ['Check-ins', `${checkins} (at the end of the track)`],
      ['Level', level ? `${level.icon} ${level.level} ${level.nameZh} ${level.nameEn}` : 'none yet'],
    ],
  )
}

/** The points in order of time, shifted so that the last is now. */
function endingAt({ fixes }: Recording, nowMs: number): SentPoint[] {
  const latest = fixes.reduce((latest, { recordedAt }) => Math.max(latest, recordedAt), 0)
  return fixes
    .map((fix) => ({ ...fix, recordedAt: fix.recordedAt + nowMs - latest }))
    .toSorted((a, b) => a.recordedAt - b.recordedAt)
}

function bytesOf(file: string): Uint8Array {
  try {
    return readFileSync(file)
  } catch (error) {
    throw new LauncherError(`${file} cannot be read: ${error instanceof Error ? error.message : error}`)
  }
}

/** Reads a recording of any format, recognised by its content. */
function readRecording(bytes: Uint8Array): Recording {
  try {
    return read(bytes)
  } catch (error) {
    if (error instanceof Unreadable) throw new LauncherError(error.message)
    throw error
  }
}
