import { useEffect, useState } from 'preact/hooks'
import { SESSION_REFUSED } from '../api/session-refused.ts'
import { onLeft } from './other-pages.ts'
import { lastPerson, type Person, personBefore } from './session.ts'
import { lacksRecoveryCode, lookForPerson } from './sign-in.ts'

/**
 * - `person`: signed in; `isAsked` is false until the service was asked, also in vain.
 * - `signed-out`: `before` is who was signed in here until the session ended.
 */
export type WhoIsHere =
  | { kind: 'loading' }
  | { kind: 'person'; person: Person; isAsked: boolean }
  | { kind: 'signed-out'; before: Person | null }

/** Who is signed in, looked up at the start, when the network returns, when the page is looked at again, and
 * when the service or another page says that the session has ended. */
export function usePerson(): { who: WhoIsHere; renew: () => void } {
  const [who, setWho] = useState<WhoIsHere>({ kind: 'loading' })
  const [turn, setTurn] = useState(0)
  useEffect(() => {
    let left = false
    const look = async () => {
      const known = await lastPerson()
      // What the phone knows is shown first: a slow network does not hold up a check-in.
      if (known && !(await lacksRecoveryCode()) && !left)
        setWho((before) => (before.kind === 'loading' ? ofPhone(known) : before))
      const session = await lookForPerson()
      if (left) return
      const before = (await personBefore()) ?? null
      if (left) return
      if (session === 'unknown')
        setWho((shown) =>
          shown.kind === 'person' ? { ...shown, isAsked: true } : { kind: 'signed-out', before },
        )
      else if (session === 'signed-out') setWho({ kind: 'signed-out', before })
      else setWho({ kind: 'person', person: session, isAsked: true })
    }
    const wake = () => {
      if (!document.hidden) void look()
    }
    void look()
    addEventListener('online', wake)
    addEventListener(SESSION_REFUSED, look)
    const endListening = onLeft(look)
    document.addEventListener('visibilitychange', wake)
    return () => {
      left = true
      removeEventListener('online', wake)
      removeEventListener(SESSION_REFUSED, look)
      endListening()
      document.removeEventListener('visibilitychange', wake)
    }
  }, [turn])
  return { who, renew: () => setTurn((before) => before + 1) }
}

const ofPhone = (person: Person): WhoIsHere => ({ kind: 'person', person, isAsked: false })
