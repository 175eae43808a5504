import { useEffect, useState } from 'preact/hooks'
import { together, useResource } from '../../api/resource.ts'
import type { Activity, Beacons } from '../../api/types.ts'
import { StatusBanner, TroubleBanner } from '../../parts/banners.tsx'
import { useChunk } from '../../parts/chunk.ts'
import { useTexts } from '../../parts/context.ts'
import { PalanquinSentence } from '../../parts/palanquin.tsx'
import { Foot, Shell } from '../../parts/shell.tsx'

const EVERY_MS = 10_000
/** A network that is so slow must not hold up a check-in. */
const PATIENCE_MS = 2_000

export function MyWalkPage() {
  const { texts } = useTexts()
  const activity = useResource<Activity>('/activity', EVERY_MS)
  const beacons = useResource<Beacons>('/beacons', EVERY_MS)
  const asked = together(beacons, activity)
  const [isLate, setIsLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setIsLate(true), PATIENCE_MS)
    return () => clearTimeout(timer)
  }, [])
  // Joining and the walk itself come when the first view stands, which says where the palanquin is.
  const stands = beacons.data !== null || beacons.trouble !== null
  const content = useChunk(() => import('./content.tsx'), stands || isLate)
  return (
    <Shell page="me">
      <section class="me-head">
        <h1>{texts.myWalk}</h1>
        <PalanquinSentence beacons={beacons} activity={activity} />
      </section>
      <StatusBanner activity={activity} hasCard />
      <TroubleBanner {...asked} timezone={activity.data?.timezone} />
      {content === null ? (
        <p class="me-loading" aria-busy="true">
          {texts.myWalkLoading}
        </p>
      ) : (
        <content.Content activity={activity} saidAbove={asked.trouble} />
      )}
      <Foot />
    </Shell>
  )
}
