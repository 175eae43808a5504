import { useState } from 'preact/hooks'
import { type Resource, useResource } from '../../api/resource.ts'
import type { Activity, Beacons } from '../../api/types.ts'
import { useMeTexts } from '../../i18n/me/texts.ts'
import { StatusBanner, TroubleBanner } from '../../parts/banners.tsx'
import { useTexts } from '../../parts/context.ts'
import { PalanquinSentence } from '../../parts/palanquin.tsx'
import { Foot, Shell } from '../../parts/shell.tsx'
import { usePerson, type WhoIsHere } from '../../session/use-person.ts'
import { Join } from './join.tsx'
import { Recover } from './recover.tsx'
import { SessionEnded } from './session-ended.tsx'
import { MyWalk } from './walk.tsx'

const EVERY_MS = 10_000

/** How somebody left this page a moment ago. */
type Left = 'signed-out' | 'erased'

export function MyWalkPage() {
  const { texts } = useTexts()
  const { me } = useMeTexts()
  const activity = useResource<Activity>('/activity', EVERY_MS)
  const beacons = useResource<Beacons>('/beacons', EVERY_MS)
  const { who, renew } = usePerson()
  const [left, setLeft] = useState<Left | null>(null)
  const start = () => {
    setLeft(null)
    renew()
  }
  const leave = (how: Left) => {
    setLeft(how)
    renew()
  }
  return (
    <Shell page="me">
      <section class="me-head">
        <h1>{texts.myWalk}</h1>
        <PalanquinSentence beacons={beacons} activity={activity} />
      </section>
      <StatusBanner activity={activity} />
      <TroubleBanner
        trouble={beacons.trouble ?? activity.trouble}
        atMs={beacons.atMs}
        retry={beacons.retry}
        timezone={activity.data?.timezone}
      />
      {left !== null && (
        <p class="banner banner-done" role="status">
          {left === 'erased' ? me.erased : me.signedOut}
        </p>
      )}
      <Content who={who} activity={activity} start={start} leave={leave} />
      <Foot />
    </Shell>
  )
}

function Content({
  who,
  activity,
  start,
  leave,
}: {
  who: WhoIsHere
  activity: Resource<Activity>
  start: () => void
  leave: (how: Left) => void
}) {
  const { me } = useMeTexts()
  if (who.kind === 'loading')
    return (
      <p class="me-loading" aria-busy="true">
        {me.loading}
      </p>
    )
  if (who.kind === 'person')
    return <MyWalk key={who.person.userId} who={who} activity={activity} leave={leave} renew={start} />
  return (
    <>
      {who.before !== null && <SessionEnded before={who.before} />}
      <Join activity={activity.data} onJoined={start} />
      <Recover onRecovered={start} />
    </>
  )
}
