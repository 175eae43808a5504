import { useEffect, useState } from 'preact/hooks'
import type { Resource, Trouble } from '../../api/resource.ts'
import type { Activity } from '../../api/types.ts'
import { counted } from '../../i18n/counted.ts'
import { useMeTexts } from '../../i18n/me/texts.ts'
import { countWaiting } from '../../outbox/outbox.ts'
import { useComesIntoView } from '../../parts/comes-into-view.ts'
import { useTexts } from '../../parts/context.ts'
import type { Person } from '../../session/session.ts'
import { usePerson } from '../../session/use-person.ts'
import { Join } from './join.tsx'
import { HasLeft, type Left } from './left.tsx'
import { LineProblem, SignInWithLine, useLineSignIn } from './line-sign-in.tsx'
import { Recover } from './recover.tsx'
import { RecoveryCode } from './recovery.tsx'
import { MyWalk } from './walk.tsx'

/** The walk of the person who is signed in; for anybody else the ways to join. */
export function Content({
  activity,
  saidAbove,
}: {
  activity: Resource<Activity>
  /** What the page says is in the way of newer data: it is not said twice. */
  saidAbove: Trouble | null
}) {
  const { texts } = useTexts()
  const { me } = useMeTexts()
  const { who, renew } = usePerson()
  const [left, setLeft] = useState<Left | null>(null)
  const start = () => {
    setLeft(null)
    renew()
  }
  const line = useLineSignIn(who.kind === 'signed-out', renew)
  const leave = (how: Left) => {
    setLeft(how)
    renew()
  }
  if (who.kind === 'loading' || line.working)
    return (
      <p class="me-loading" aria-busy="true">
        {line.working ? me.lineWorking : texts.myWalkLoading}
      </p>
    )
  if (who.kind === 'person')
    return (
      <>
        <LineProblem problem={line.problem} />
        <MyWalk
          key={who.person.userId}
          who={who}
          activity={activity}
          saidAbove={saidAbove}
          leave={leave}
          renew={renew}
        />
      </>
    )
  return (
    <>
      {left !== null && <HasLeft how={left} />}
      {/* After signing out everywhere it is a new one; that of an ended session is not shown to whoever has the phone now. */}
      {who.before === null ? <RecoveryCode /> : <SessionEnded before={who.before} />}
      <LineProblem problem={line.problem} />
      <SignInWithLine />
      {activity.data?.status === 'ended' ? (
        <p class="banner">{me.joinEnded}</p>
      ) : (
        <Join activity={activity.data} onJoined={start} />
      )}
      <Recover onRecovered={start} />
    </>
  )
}

/** The session of this phone has ended: what was recorded stays until its person is back. */
function SessionEnded({ before }: { before: Person }) {
  const { me } = useMeTexts()
  const sentence = useComesIntoView<HTMLParagraphElement>()
  const [count, setCount] = useState(0)
  useEffect(() => {
    void countWaiting(before.userId).then(setCount)
  }, [before.userId])
  return (
    <p ref={sentence} class="banner banner-trouble" role="status" tabIndex={-1}>
      {count > 0 ? counted(count, me.sessionEnded) : me.sessionEndedEmpty}
    </p>
  )
}
