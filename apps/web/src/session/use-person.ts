import { useEffect, useState } from 'preact/hooks'
import { SESSION_REFUSED } from '../api/session-refused.ts'
import { lastPerson, onLeft, type Person, personBefore } from './session.ts'
import { lacksRecoveryCode, lookForPerson } from './sign-in.ts'

/** `isAsked`: whether the service was asked; `before`: who was signed in until the session ended. */
export type WhoIsHere =
  | { kind: 'loading' }
  | { kind: 'person'; person: Person; isAsked: boolean }
  | { kind: 'signed-out'; before: Person | null }

/** Who is signed in, looked up at the start, online, when the page is looked at, and at the session's end. */
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
