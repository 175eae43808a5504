import { request, type Sent, send } from '../api/send.ts'
import { unavailableMs } from '../api/unavailable.ts'
import { isRecord } from '../outbox/delivery.ts'
import { RECORDING } from '../recording/recorder.ts'
import { forgetPerson, keepDraft, readDraft } from '../store.ts'

/** Who is signed in on this phone. */
export type Person = { userId: string }
type Started = Person & { recoveryCode?: string }

const PERSON = 'person'
const BEFORE = 'person-before'
const RECOVERY = 'recovery-code'

/** The person of the present session; `signed-out`: there is none, or it has ended; `unknown`: the service cannot say it now. */
export async function readSession(): Promise<Person | 'signed-out' | 'unknown'> {
  const reply = await request('GET', '/session')
  if (reply?.status === 204) {
    await noteEnded()
    return 'signed-out'
  }
  const data = isRecord(reply?.body) ? reply.body.data : undefined
  if (reply?.status !== 200 || !isRecord(data)) return 'unknown'
  // The session of an admin token is of no participant.
  if (typeof data.userId !== 'string') return 'signed-out'
  const person = { userId: data.userId }
  await keepDraft(PERSON, person)
  return person
}

/** Who was last known to be signed in here: what the page goes by without a network. */
export const lastPerson = (): Promise<Person | undefined> => readDraft<Person>(PERSON)

/** Whose session has ended here: what waits for them stays on this phone. */
export const personBefore = (): Promise<Person | undefined> => readDraft<Person>(BEFORE)

/** From now on the phone may be in the hands of another person: a recording does not go on. */
async function noteEnded(): Promise<void> {
  const person = await lastPerson()
  if (person === undefined) return
  await keepDraft(BEFORE, person)
  await keepDraft(PERSON, undefined)
  await keepDraft(RECORDING, undefined)
}

/** Makes a participant for this phone. The recovery code is kept here until the person has seen it. */
const startDeviceSession = (): Promise<Sent<Started>> => start({ device: true })

/** Moves the walk of another phone, or of an ended session, here. */
export const recoverSession = (recoveryCode: string): Promise<Sent<Started>> => start({ recoveryCode })

async function start(body: object): Promise<Sent<Started>> {
  const sent = await send<Started>('/session', body)
  if (sent.ok) {
    const { userId, recoveryCode } = sent.data
    await keepDraft(PERSON, { userId })
    await keepDraft(BEFORE, undefined)
    await keepDraft(RECOVERY, recoveryCode)
  }
  return sent
}

/** The person of this phone, who is made if there is none yet. */
export async function ensurePerson(): Promise<Sent<Person>> {
  const present = await readSession()
  if (typeof present === 'object') return { ok: true, data: present }
  if (present === 'unknown')
    return navigator.onLine
      ? { ok: false, kind: 'busy', retryAtMs: Date.now() + unavailableMs() }
      : { ok: false, kind: 'offline', waits: true }
  return startDeviceSession()
}

/** The recovery code that was not yet noted down. */
export const openRecoveryCode = (): Promise<string | undefined> => readDraft<string>(RECOVERY)
export const recoveryCodeNoted = (): Promise<void> => keepDraft(RECOVERY, undefined)

/** Ends the session here, or all of the person's, and empties what this phone keeps of them. */
export async function signOut(
  person: Person,
  { everywhere }: { everywhere: boolean },
): Promise<Sent<unknown>> {
  const sent = await send<unknown>(`/session${everywhere ? '?all=true' : ''}`, undefined, 'DELETE')
  if (sent.ok) await forgetOnThisPhone(person)
  return sent
}

/** Empties IndexedDB and what a page may have put beside it. */
export async function forgetOnThisPhone({ userId }: Person): Promise<void> {
  await forgetPerson(userId)
  localStorage.clear()
  sessionStorage.clear()
}
