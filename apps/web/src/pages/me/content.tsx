import { useState } from 'preact/hooks'
import type { Resource, Trouble } from '../../api/resource.ts'
import type { Activity } from '../../api/types.ts'
import { useMeTexts } from '../../i18n/me/texts.ts'
import { useComesIntoView } from '../../parts/comes-into-view.ts'
import { useTexts } from '../../parts/context.ts'
import { usePerson } from '../../session/use-person.ts'
import { Join } from './join.tsx'
import { LineProblem, SignInWithLine, useLineSignIn } from './line-sign-in.tsx'
import { Recover } from './recover.tsx'
import { SessionEnded } from './session-ended.tsx'
import { MyWalk } from './walk.tsx'

/** How somebody left this page a moment ago. */
type Left = 'signed-out' | 'erased'

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
        <MyWalk key={who.person.userId} {...{ who, activity, saidAbove, leave, renew }} />
      </>
    )
  return (
    <>
      {left !== null && <HasLeft sentence={left === 'erased' ? me.erased : me.signedOut} />}
      {who.before !== null && <SessionEnded before={who.before} />}
      <LineProblem problem={line.problem} />
      <SignInWithLine />
      <Join activity={activity.data} onJoined={start} />
      <Recover onRecovered={start} />
    </>
  )
}

function HasLeft({ sentence }: { sentence: string }) {
  const paragraph = useComesIntoView<HTMLParagraphElement>()
  return (
    <p ref={paragraph} class="banner banner-done" role="status" tabIndex={-1}>
      {sentence}
    </p>
  )
}
