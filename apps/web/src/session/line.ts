import { isRecord } from '@palanquin/domain/is-record'
import { isLiffPage, liffIdToken } from '../line/liff.ts'
import { readSession } from './session.ts'
import { signInWithLine } from './sign-in.ts'

/** Signs in the person of this LINE, unless a walk without LINE is here. @returns whether they are signed in */
export async function signInInsideLine(): Promise<boolean> {
  if (!isLiffPage()) return false
  const idToken = await liffIdToken()
  if (idToken === null) return false
  const present = await readSession()
  if (present === 'unknown') return false
  if (present !== 'signed-out') {
    if (present.kind === 'device') return false
    if (present.userId === subjectOf(idToken)) return true
  }
  return (await signInWithLine({ liffIdToken: idToken })).ok
}

/** Whom an ID token is of. Nothing is believed for it: the service verifies the token. */
function subjectOf(idToken: string): string | undefined {
  try {
    const [, payload = ''] = idToken.split('.')
    const claims: unknown = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/')))
    return isRecord(claims) && typeof claims.sub === 'string' ? claims.sub : undefined
  } catch (error) {
    console.warn('This is no ID token', error)
    return undefined
  }
}
