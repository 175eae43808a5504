import { unavailableMs } from '../../api/base.ts'
import { type Sent, send } from '../../api/send.ts'
import { nowMs } from '../../api/server-clock.ts'
import { smallPicture } from '../../parts/small-picture.ts'
import { lastPerson, readSession } from '../../session/session.ts'

export type Received = { id: string; status: string; editToken: string }
export type SentFeedback = Sent<Received> & { of?: 'picture' }
type Words = { category: string; message: string; editToken: string }
type Author = { userId?: string }

/** Sends feedback, the picture first, as the message names it; in the person's name unless anonymous. */
export async function sendFeedback(
  words: Words,
  { picture, anonymous }: { picture: File | null; anonymous: boolean },
): Promise<SentFeedback> {
  const author = anonymous ? {} : await presentAuthor()
  if (author === 'unknown')
    return navigator.onLine
      ? { ok: false, kind: 'busy', retryAtMs: nowMs() + unavailableMs() }
      : { ok: false, kind: 'offline', waits: true }
  const pictured = await uploaded(picture)
  if (!pictured.ok) return { ...pictured, of: 'picture' }
  const sent = await send<Received>('/feedback', { ...words, ...pictured.data, ...author })
  const isNotAuthor = !sent.ok && sent.kind === 'refused' && [401, 403].includes(sent.status)
  // The session has just ended: the words are what matters.
  return isNotAuthor && author.userId !== undefined
    ? send<Received>('/feedback', { ...words, ...pictured.data })
    : sent
}

/** Who is signed in; null where this phone has never known a session, which costs no request. */
async function presentAuthor(): Promise<Author | 'unknown'> {
  if ((await lastPerson()) === undefined) return {}
  const present = await readSession()
  if (present === 'unknown') return present
  return present === 'signed-out' ? {} : { userId: present.userId }
}

async function uploaded(picture: File | null): Promise<Sent<{ screenshot?: string }>> {
  if (picture === null) return { ok: true, data: {} }
  const small = await smallPicture(picture)
  if (small === null) return { ok: false, kind: 'refused', status: 400, sentence: '' }
  const form = new FormData()
  form.set('file', small, 'picture')
  const sent = await send<{ filename: string }>('/feedback-upload', form)
  return sent.ok ? { ok: true, data: { screenshot: sent.data.filename } } : sent
}
