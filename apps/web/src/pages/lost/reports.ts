import { request, type Sent, send } from '../../api/send.ts'
import { nowMs } from '../../api/server-clock.ts'
import { keepDraft, readDraft } from '../../drafts.ts'
import { smallPicture } from '../../parts/small-picture.ts'

export type Kind = 'lost' | 'found'
export type Place = { lat: number; lng: number }
/** `editToken` is of these very words: sent again after a lost response they are stored once. */
export type Draft = {
  about: string
  phone: string
  place: (Place & { metres: number }) | null
  editToken: string
}

/** A report that this phone sent, with the token that shows it. */
export type Report = { id: string; editToken: string; kind: Kind; at: number }
export type Status = { status: 'open' | 'taken' | 'closed'; reply: string | null }
/** `gone`: it was deleted; null: the service cannot say it now. */
export type Seen = Status | 'gone' | null

const REPORTS = 'lost-reports'
const KEPT_MAX = 10
const NOT_FOUND = 404

/** The reports of this phone, the latest first. */
export async function ownReports(): Promise<Report[]> {
  return (await readDraft<Report[]>(REPORTS)) ?? []
}

async function keepReport(report: Report): Promise<void> {
  const others = (await ownReports()).filter(({ id }) => id !== report.id)
  await keepDraft(REPORTS, [report, ...others].slice(0, KEPT_MAX))
}

/** Forgets a report that the service has deleted. */
export async function forgetReport(id: string): Promise<void> {
  await keepDraft(
    REPORTS,
    (await ownReports()).filter((report) => report.id !== id),
  )
}

/** The name of an uploaded photo, so that a report that is sent again does not upload it again. */
export type Uploaded = { file: File; filename: string }

/** How many people get a message about it. */
export type Notified = { volunteers: number; owners: number }

export type SentReport = Sent<{ id: string; notified: Notified }> & { of?: 'photo' | 'phone' }

/** The photo first, since the report names it. The report is kept on this phone. */
export async function sendReport(
  kind: Kind,
  { about, phone, place, editToken }: Draft,
  photo: { file: File | null; uploaded: Uploaded | null; onUploaded: (uploaded: Uploaded) => void },
): Promise<SentReport> {
  let filename = photo.uploaded?.filename
  if (photo.file !== null && photo.uploaded?.file !== photo.file) {
    const uploaded = await uploadPhoto(photo.file)
    if (!uploaded.ok) return { ...uploaded, of: 'photo' }
    filename = uploaded.data.filename
    photo.onUploaded({ file: photo.file, filename })
  }
  const body = {
    kind,
    about,
    phone,
    editToken,
    ...(place === null ? {} : { place: { lat: place.lat, lng: place.lng } }),
    ...(photo.file === null ? {} : { photo: filename }),
  }
  const sent = await send<{ id: string; editToken: string; notified: Notified }>('/lost', body)
  if (sent.ok) await keepReport({ id: sent.data.id, editToken: sent.data.editToken, kind, at: nowMs() })
  else if (sent.kind === 'refused' && sent.sentence.startsWith('phone:')) return { ...sent, of: 'phone' }
  return sent
}

async function uploadPhoto(file: File): Promise<Sent<{ filename: string }>> {
  const small = await smallPicture(file)
  if (small === null) return { ok: false, kind: 'refused', status: 400, sentence: '' }
  const form = new FormData()
  form.set('file', small, 'photo')
  return send<{ filename: string }>('/feedback-upload', form)
}

const bearing = ({ editToken }: Report) => ({ 'x-feedback-token': editToken })

/** What became of a report. */
export async function statusOf(report: Report): Promise<Seen> {
  const reply = await request('GET', `/lost/${report.id}`, undefined, bearing(report))
  if (reply?.status === NOT_FOUND) return 'gone'
  const { data } = (reply?.status === 200 ? reply.body : {}) as { data?: Status }
  return data ?? null
}

/** Closes a report: the person was found again. */
export const closeReport = (report: Report): Promise<Sent<Status>> =>
  send<Status>(`/lost/${report.id}`, { status: 'closed' }, 'PATCH', bearing(report))
