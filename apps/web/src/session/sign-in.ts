import { unavailableMs } from '../api/base.ts'
import { type Sent, send } from '../api/send.ts'
import { nowMs } from '../api/server-clock.ts'
import { keepDraft, PERSON, readDraft } from '../drafts.ts'
import { passOn } from '../store-of-person.ts'
import {
  BEFORE,
  keepRecoveryCode,
  oneAtATime,
  openRecoveryCode,
  type Person,
  readSession,
} from './session.ts'

type Started = Person & { recoveryCode?: string }

const ATTEMPT = 'recovery-attempt'
const JOIN_ATTEMPT = 'join-attempt'

/** Whether the answer to a join of this phone was lost, and with it the recovery code. */
export const lacksRecoveryCode = async (): Promise<boolean> =>
  (await readDraft<string>(JOIN_ATTEMPT)) !== undefined && (await openRecoveryCode()) === undefined

let looking: ReturnType<typeof readSession> | undefined
/** As `readSession`; asks again for the recovery code where the answer to a join was lost. One at a time. */
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

/** Makes a participant for this phone. The attempt is kept until the recovery code is kept. */
async function startDeviceSession(): Promise<Sent<Started>> {
  const attempt = (await readDraft<string>(JOIN_ATTEMPT)) ?? crypto.randomUUID()
  await keepDraft(JOIN_ATTEMPT, attempt)
  return startSession({ device: true, attempt })
}

/** Moves a walk here by its code, which works once: the attempt is kept until its answer is there. */
export async function recoverSession(recoveryCode: string): Promise<Sent<Started>> {
  const attempt = (await readDraft<string>(ATTEMPT)) ?? crypto.randomUUID()
  await keepDraft(ATTEMPT, attempt)
  const sent = await startSession({ recoveryCode, attempt })
  if (!sent.ok) return sent
  await keepDraft(ATTEMPT, undefined)
  return sent
}

/** Signs in on this phone by credentials (`POST /session`). */
async function startSession(proof: object): Promise<Sent<Started>> {
  const sent = await oneAtATime(() => send<Started>('/session', proof))
  if (sent.ok) await keepPerson(sent.data)
  return sent
}

/** Signs in by what LINE says. */
export const signInWithLine = (proof: object): Promise<Sent<Person>> => startSession(proof)

/** Joins this phone's walk to a LINE id (`POST /session/link`); what waits is that person's from then on. */
export async function joinToLine(proof: object, { userId }: Person): Promise<Sent<Started>> {
  const sent = await oneAtATime(() => send<Started>('/session/link', proof))
  if (sent.ok) {
    await passOn(userId, sent.data.userId).catch((error: unknown) => console.warn('What waits stays', error))
    await keepPerson(sent.data)
  }
  return sent
}

async function keepPerson({ userId, kind, recoveryCode }: Started): Promise<void> {
  await keepDraft(PERSON, { userId, kind })
  await keepDraft(BEFORE, undefined)
  await keepRecoveryCode(recoveryCode)
  await keepDraft(JOIN_ATTEMPT, undefined)
}

/** The person of this phone, who is made if there is none yet. */
export async function ensurePerson(): Promise<Sent<Person>> {
  const present = await readSession()
  if (typeof present === 'object') return { ok: true, data: present }
  if (present === 'unknown')
    return navigator.onLine
      ? { ok: false, kind: 'busy', retryAtMs: nowMs() + unavailableMs() }
      : { ok: false, kind: 'offline', waits: true }
  return startDeviceSession()
}
