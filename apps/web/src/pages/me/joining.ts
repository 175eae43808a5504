import type { Language } from '@palanquin/domain/language'
import { type Sent, send } from '../../api/send.ts'
import { ensurePerson } from '../../session/sign-in.ts'
import { noteAnswered } from './consent-answer.ts'
import type { Shown } from './visibility.tsx'

export type Joining = Shown & { phone: string; version: string; language: Language }
/** `of`: the field that was refused. */
export type Joined = Sent<unknown> & { of?: 'phone' }

/** Joins: participant, consent, name and phone. Each step may be repeated after a break. */
export async function join({ visibility, name, phone, version, language }: Joining): Promise<Joined> {
  const person = await ensurePerson()
  if (!person.ok) return person
  const { userId } = person.data
  if (phone.trim() !== '') {
    const sent = await send('/user/phone', { userId, phone: phone.trim() })
    if (!sent.ok) return sent.kind === 'refused' && sent.status === 400 ? { ...sent, of: 'phone' } : sent
  }
  const displayName = visibility === 'named' ? { displayName: name.trim() } : {}
  const synced = await send('/user/sync', { userId, language, ...displayName })
  if (!synced.ok) return synced
  const given = await send('/privacy', { userId, consent: true, version, visibility })
  if (given.ok) await noteAnswered(person.data)
  return given
}
