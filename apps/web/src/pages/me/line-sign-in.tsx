import { useEffect, useState } from 'preact/hooks'
import type { Sent } from '../../api/send.ts'
import { useMeTexts } from '../../i18n/me/texts.ts'
import { isLiffPage, liffAddress } from '../../line/liff.ts'
import { hasLineLogin, leaveForLine, lineCodeOf } from '../../line/login.ts'
import { consumeReturned } from '../../line/returned.ts'
import { NotSent } from '../../parts/outcome.tsx'
import { signInInsideLine } from '../../session/line.ts'
import { type Person, readSession } from '../../session/session.ts'
import { joinToLine, signInWithLine } from '../../session/sign-in.ts'

/** `expired`: LINE came back with nothing of use here; `refused`: the person did not agree at LINE. */
type Problem = 'expired' | 'refused' | Sent<unknown>
/** `working`: it is being found out who is here. */
export type LineSignIn = { working: boolean; problem: Problem | null }

const TRIED = 'line-tried'

/** Signs in with what LINE says. @param signedOut whether this phone has no session */
export function useLineSignIn(signedOut: boolean, onSignedIn: () => void): LineSignIn {
  const [state, setState] = useState<LineSignIn>({ working: false, problem: null })
  const begin = () => setState({ working: true, problem: null })
  const end = (problem: Problem | null) => {
    setState({ working: false, problem })
    if (problem === null) onSignedIn()
  }
  useEffect(() => {
    const returned = consumeReturned()
    if (returned === null) return
    begin()
    if ('refused' in returned) return end('refused')
    const code = lineCodeOf(returned)
    if (code === null) return end('expired')
    void redeem(code).then((sent) => end(sent.ok ? null : sent))
  }, [])
  useEffect(() => {
    if (!signedOut || sessionStorage.getItem(TRIED) !== null) return
    const address = liffAddress()
    if (!isLiffPage() && address === null) return
    if (address !== null) return location.replace(address)
    sessionStorage.setItem(TRIED, '1')
    begin()
    void signInInsideLine().then((isHere) => {
      if (isHere) end(null)
      else setState({ working: false, problem: null })
    })
  }, [signedOut])
  return state
}

async function redeem({
  intent,
  ...proof
}: NonNullable<ReturnType<typeof lineCodeOf>>): Promise<Sent<unknown>> {
  if (intent === 'sign-in') return signInWithLine(proof)
  const present = await readSession()
  return typeof present === 'object' ? joinToLine(proof, present) : signInWithLine(proof)
}

/** Why signing in with LINE did not work, and what to do next. */
export function LineProblem({ problem }: { problem: Problem | null }) {
  const { me } = useMeTexts()
  if (problem === null) return null
  const isRefused =
    problem === 'expired' || (typeof problem === 'object' && !problem.ok && problem.kind === 'refused')
  if (typeof problem === 'object' && !isRefused) return <NotSent outcome={problem} />
  return (
    <p class="banner banner-trouble" role="alert">
      {problem === 'refused' ? me.lineRefused : me.lineExpired}
    </p>
  )
}

/** The way in for who has a walk in LINE. */
export function SignInWithLine() {
  const { language, me } = useMeTexts()
  if (!hasLineLogin()) return null
  return (
    <section class="line-sign-in">
      <h2>{me.lineTitle}</h2>
      <p>{me.lineHint}</p>
      <button type="button" class="button button-main" onClick={() => void leaveForLine('sign-in', language)}>
        {me.lineSignIn}
      </button>
    </section>
  )
}

/** Joins the walk of this phone to the person's LINE. What waits goes first. */
export function JoinToLine({ person, stop }: { person: Person; stop: () => Promise<void> }) {
  const { language, me } = useMeTexts()
  if (person.kind !== 'device' || !hasLineLogin()) return null
  return (
    <>
      <h3>{me.lineJoinTitle}</h3>
      <p class="small">{me.lineJoinHint}</p>
      <button
        type="button"
        class="button"
        onClick={() => void stop().then(() => leaveForLine('join', language))}
      >
        {me.lineJoin}
      </button>
    </>
  )
}
