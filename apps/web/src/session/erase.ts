import { OWN_PATH } from '../api/own-path.ts'
import { type Sent, send } from '../api/send.ts'
import { nowMs } from '../api/server-clock.ts'
import { unavailableMs } from '../api/unavailable.ts'
import { forgetOnThisPhone, type Person, readSession, signOut } from './session.ts'

/** Another page of this phone has signed in somebody else. */
const ANOTHER = { ok: false, kind: 'refused', status: 403, sentence: '' } as const

/** Erases the person, everywhere and on this phone; never somebody else who has signed in here meanwhile. */
export async function erasePerson(person: Person): Promise<Sent<unknown>> {
  const present = await readSession()
  if (present === 'unknown')
    return navigator.onLine
      ? { ok: false, kind: 'busy', retryAtMs: nowMs() + unavailableMs() }
      : { ok: false, kind: 'offline', waits: true }
  if (present !== 'signed-out' && present.userId !== person.userId) return ANOTHER
  const sent = await send(OWN_PATH, undefined, 'DELETE')
  if (!sent.ok) return sent
  await signOut(person, { everywhere: false })
  await forgetOnThisPhone(person)
  return sent
}
