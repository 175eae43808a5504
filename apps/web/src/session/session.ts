import { request, type Sent, send } from '../api/send.ts'
import { unavailableMs } from '../api/unavailable.ts'
import { isRecord } from '../outbox/delivery.ts'
import { OWN_TRACK } from '../recording/kept-track.ts'
import { RECORDING } from '../recording/recorder.ts'
import { forgetPerson, keepDraft, PERSON, passOn, readDraft } from '../store.ts'
import { reportLeft } from './other-pages.ts'

/** Who is signed in on this phone. */
export type Person = {
  userId: string
  /** Whether the walk is this phone's, or that of a LINE id; unknown for what an older page has kept. */
  kind?: 'device' | 'line'
}
type Started = Person & { recoveryCode?: string }

const BEFORE = 'person-before'
const RECOVERY = 'recovery-code'
const ATTEMPT = 'recovery-attempt'
const JOIN_ATTEMPT = 'join-attempt'
const ASKS_CONSENT = 'asks-consent'
/** In place of an id: the participant who is being created on this phone. */
const JOINING = 'joining'

/**
 * Each answer may set the cookie, so that one which began with the session before could put that back: calls of all tabs of
 * this browser go one by one.
 */
const oneAtATime = <T>(call: () => Promise<T>): Promise<T> =>
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

/** Whether the answer to a join of this phone was lost, and with it the recovery code. */
export const lacksRecoveryCode = async (): Promise<boolean> =>
  (await readDraft<string>(JOIN_ATTEMPT)) !== undefined && (await openRecoveryCode()) === undefined

let looking: ReturnType<typeof readSession> | undefined
/**
 * The same as `readSession`, with the recovery code asked for again where the answer to the join was lost, with or without
 * its cookie. That gives another session and ends this one, so nothing else of the person may be on its way: one look at a time.
 */
export function lookForPerson(): ReturnType<typeof readSession> {
  looking ??= look().finally(() => {
    looking = undefined
  })
  return looking
}

async function look(): ReturnType<typeof readSession> {
  const session = await readSession()
  if (session === 'unknown' || !(await lacksRecoveryCode())) return session
  const sent = await startSession({ attempt: await readDraft<string>(JOIN_ATTEMPT) })
  if (sent.ok) return sent.data
  // It never arrived, or too long ago: a later join begins anew.
  if (sent.kind === 'refused') await keepDraft(JOIN_ATTEMPT, undefined)
  return session
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
 * Makes a participant for this phone. The recovery code is kept here until the person has seen it, and the attempt until the
 * code is kept: the answer may be lost, or the page closed before it.
 */
async function startDeviceSession(): Promise<Sent<Started>> {
  const attempt = (await readDraft<string>(JOIN_ATTEMPT)) ?? crypto.randomUUID()
  await keepDraft(JOIN_ATTEMPT, attempt)
  return startSession({ device: true, attempt })
}

/**
 * Moves the walk of another phone, or of an ended session, here. A code works once: the attempt is kept until its answer is
 * there, and another try after a lost answer is answered as the first time.
 */
export async function recoverSession(recoveryCode: string): Promise<Sent<Started>> {
  attempt = (await readDraft<string>(ATTEMPT)) ?? attempt ?? crypto.randomUUID()
  await keepDraft(ATTEMPT, attempt)
  const sent = await startSession({ recoveryCode, attempt })
  if (!sent.ok) return sent
  attempt = undefined
  await keepDraft(ATTEMPT, undefined)
  await consentAsked()
  return sent
}
/** Also where the browser keeps nothing. */
let attempt: string | undefined

/** Signs in on this phone by credentials (`POST /session`). */
async function startSession(proof: object): Promise<Sent<Started>> {
  const sent = await oneAtATime(() => send<Started>('/session', proof))
  if (sent.ok) await keepPerson(sent.data)
  return sent
}

/** Signs in by what LINE says; `/me` then asks for consent, unless there is one. */
export async function signInWithLine(proof: object): Promise<Sent<Person>> {
  const sent = await startSession(proof)
  if (sent.ok) await keepDraft(ASKS_CONSENT, sent.data.userId)
  return sent
}
/** Asks for consent again where the page is closed, or the network lost, before a join has reached it. */
export const consentPending = (): Promise<void> => keepDraft(ASKS_CONSENT, JOINING)
/** Whether a person has come from LINE and was not yet asked for consent here, or a join broke off. */
export const asksConsent = async ({ userId }: Person): Promise<boolean> =>
  [userId, JOINING].includes((await readDraft<string>(ASKS_CONSENT)) ?? '')
export const consentAsked = (): Promise<void> => keepDraft(ASKS_CONSENT, undefined)

/**
 * Joins this phone's walk to a LINE id (`POST /session/link`). What waits here for its upload waits for that person from then
 * on: the device's id is unknown.
 */
export async function joinToLine(proof: object, { userId }: Person): Promise<Sent<Started>> {
  const sent = await oneAtATime(() => send<Started>('/session/link', proof))
  if (sent.ok) {
    await passOn(userId, sent.data.userId)
    await keepPerson(sent.data)
  }
  return sent
}

async function keepPerson({ userId, kind, recoveryCode }: Started): Promise<void> {
  await keepDraft(PERSON, { userId, kind })
  await keepDraft(BEFORE, undefined)
  await keepDraft(RECOVERY, recoveryCode)
  await keepDraft(JOIN_ATTEMPT, undefined)
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
  const path = `/session${everywhere ? '?all=true' : ''}`
  const sent = await oneAtATime(() => send<unknown>(path, undefined, 'DELETE'))
  if (sent.ok) await forgetOnThisPhone(person)
  return sent
}

/** Empties IndexedDB and what a page may have put beside it. */
export async function forgetOnThisPhone({ userId }: Person): Promise<void> {
  await forgetPerson(userId)
  localStorage.clear()
  sessionStorage.clear()
  reportLeft()
}
