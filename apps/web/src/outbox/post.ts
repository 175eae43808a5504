import { request } from '../api/send.ts'
import type { SavedCheckin } from './checkin.ts'
import type { Answer } from './delivery.ts'
import type { TrackPoint } from './entry.ts'

const SOURCE = 'web'

/** Sends points of a person; null: no answer came back. */
export const postPoints = (userId: string, points: readonly TrackPoint[]): Promise<Answer> =>
  request('POST', '/track/sync', { userId, source: SOURCE, points })

/** Sends a check-in of a person, with its photo where it has one. */
export function postCheckin(userId: string, { point, note, photo }: SavedCheckin): Promise<Answer> {
  const fields = { source: SOURCE, ...point, ...(note ? { note } : {}) }
  return photo === undefined
    ? request('POST', '/checkin', { userId, ...fields })
    : request('POST', '/upload/photos', formOf(photo, fields))
}

/** A photo with its point, which make one check-in. */
function formOf(photo: Blob, fields: Record<string, string | number>): FormData {
  const form = new FormData()
  form.set('photo', photo, 'photo')
  for (const [name, value] of Object.entries(fields)) form.set(name, String(value))
  return form
}
