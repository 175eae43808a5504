import { isRecord } from '@palanquin/domain/is-record'
import { OWN_PATH, unavailableMs } from '../api/base.ts'
import { request, type Sent, send } from '../api/send.ts'
import { nowMs } from '../api/server-clock.ts'
import { forgetUnkept, keepDraft, OWN_TRACK, PERSON, RECORDING, readDraft } from '../drafts.ts'
import { forgetPerson } from '../store-of-person.ts'

const NAME = 'session'

/** Tells all open pages of this browser that somebody has left. */
function reportLeft(): void {
  if (!('BroadcastChannel' in globalThis)) return
  const channel = new BroadcastChannel(NAME)
  channel.postMessage('left')
  channel.close()
}

/** Calls `look` when somebody has left on any page; returns what ends that. */
export function onLeft(look: () => void): () => void {
  if (!('BroadcastChannel' in globalThis)) return () => {}
  const channel = new BroadcastChannel(NAME)
  channel.addEventListener('message', look)
  return () => channel.close()
}

const RECOVERY = 'recovery-code'

/** Keeps a new recovery code until its person has noted it down. */
export const keepRecoveryCode = (code: string | undefined): Promise<void> => keepDraft(RECOVERY, code)
/** The recovery code that was not yet noted down. */
export const openRecoveryCode = (): Promise<string | undefined> => readDraft<string>(RECOVERY)
export const recoveryCodeNoted = (): Promise<void> => keepRecoveryCode(undefined)

/** Who is signed in on this phone. */
export type Person = {
  userId: string
  /** Whether the walk is this phone's, or that of a LINE id. */
  kind?: 'device' | 'line'
}

/** The draft of whose session has ended here. */
export const BEFORE = 'person-before'

/** Any answer may set the cookie, also one of the session before: calls of all tabs go one by one. */
export const oneAtATime = <T>(call: () => Promise<T>): Promise<T> =>
  'locks' in navigator ? navigator.locks.request('session', call) : call()

/** The person of the session; `signed-out`: none, or ended; `unknown`: the service cannot say it now. */
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

/** Ends the session here or everywhere and empties this phone; a device gets another recovery code. */
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
async function forgetOnThisPhone({ userId }: Person): Promise<void> {
  forgetUnkept()
  await forgetPerson(userId).catch((error: unknown) => console.warn('This phone cannot be emptied', error))
  localStorage.clear()
  sessionStorage.clear()
  reportLeft()
}

/** Another page of this phone has signed in somebody else. */
const ANOTHER = { ok: false, kind: 'refused', status: 403, sentence: '' } as const

/** Erases the person, everywhere and here; never somebody else who has signed in here meanwhile. */
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
