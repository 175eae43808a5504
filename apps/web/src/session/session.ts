import { request, type Sent, send } from '../api/send.ts'
import { forgetUnkept, keepDraft, PERSON, readDraft } from '../drafts.ts'
import { isRecord } from '../outbox/delivery.ts'
import { OWN_TRACK } from '../recording/kept-track.ts'
import { RECORDING } from '../recording/recorder.ts'
import { forgetPerson } from '../store-of-person.ts'
import { reportLeft } from './other-pages.ts'
import { keepRecoveryCode } from './recovery-code.ts'

/** Who is signed in on this phone. */
export type Person = {
  userId: string
  /** Whether the walk is this phone's, or that of a LINE id; unknown for what an older page has kept. */
  kind?: 'device' | 'line'
}

/** The draft of whose session has ended here. */
export const BEFORE = 'person-before'

/**
 * Each answer may set the cookie, so that one which began with the session before could put that back: calls of all tabs of
 * this browser go one by one.
 */
export const oneAtATime = <T>(call: () => Promise<T>): Promise<T> =>
  'locks' in navigator ? navigator.locks.request('session', call) : call()

/** The person of the present session; `signed-out`: there is none, or it has ended; `unknown`: the service cannot say it now. */
export async function readSession(): Promise<Person | 'signed-out' | 'unknown'> {
  const reply = await oneAtATime(() => request('GET', '/session'))
  if (reply?.status === 204) {
    await noteEnded()
    return 'signed-out'
  }
  const data = isRecord(reply?.body) ? reply.body.data : undefined
  if (reply?.status !== 200 || !isRecord(data)) return 'unknown'
  // The session of an admin token is of no participant.
  if (typeof data.userId !== 'string') return 'signed-out'
  const person: Person = { userId: data.userId, kind: data.kind === 'device' ? 'device' : 'line' }
  await keepDraft(PERSON, person)
  return person
}

/** Who was last known to be signed in here: what the page goes by without a network. */
export const lastPerson = (): Promise<Person | undefined> => readDraft<Person>(PERSON)

/** Whose session has ended here: what waits for them stays on this phone. */
export const personBefore = (): Promise<Person | undefined> => readDraft<Person>(BEFORE)

/** From now on another person may have the phone: a recording does not go on. */
async function noteEnded(): Promise<void> {
  const person = await lastPerson()
  if (person === undefined) return
  await keepDraft(BEFORE, person)
  await keepDraft(PERSON, undefined)
  await keepDraft(RECORDING, undefined)
  await keepDraft(OWN_TRACK, undefined)
}

/**
 * Ends the session here, or all of the person's, and empties what this phone keeps of them. After the latter a device's
 * person has another recovery code: it is kept here until they have seen it.
 */
export async function signOut(
  person: Person,
  { everywhere }: { everywhere: boolean },
): Promise<Sent<unknown>> {
  const path = `/session${everywhere ? '?all=true' : ''}`
  const sent = await oneAtATime(() => send<{ recoveryCode?: string }>(path, undefined, 'DELETE'))
  if (!sent.ok) return sent
  await forgetOnThisPhone(person)
  await keepRecoveryCode(sent.data.recoveryCode)
  return sent
}

/** Empties IndexedDB and what a page may have put beside it. */
export async function forgetOnThisPhone({ userId }: Person): Promise<void> {
  forgetUnkept()
  await forgetPerson(userId).catch((error: unknown) => console.warn('This phone cannot be emptied', error))
  localStorage.clear()
  sessionStorage.clear()
  reportLeft()
}
