import { useEffect, useState } from 'preact/hooks'
import { together, useResource } from '../../api/resource.ts'
import type { Activity, Beacons } from '../../api/types.ts'
import { StatusBanner, TroubleBanner } from '../../parts/banners.tsx'
import { useTexts } from '../../parts/context.ts'
import { PalanquinSentence } from '../../parts/palanquin.tsx'
import { Foot, Shell } from '../../parts/shell.tsx'
import type { Content } from './content.tsx'

const EVERY_MS = 10_000
const AGAIN_MS = 5_000
/** A network that is so slow must not hold up a check-in. */
const PATIENCE_MS = 2_000

export function MyWalkPage() {
  const { texts } = useTexts()
  const activity = useResource<Activity>('/activity', EVERY_MS)
  const beacons = useResource<Beacons>('/beacons', EVERY_MS)
  const asked = together(beacons, activity)
  const content = useContent(beacons.data !== null || beacons.trouble !== null)
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

/**
 * Joining and the walk itself come when the first view stands, which says where the palanquin is.
 * @param stands whether that sentence is there, or why it is not
 */
function useContent(stands: boolean): { Content: typeof Content } | null {
  const [content, setContent] = useState<{ Content: typeof Content } | null>(null)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const load = () => {
      import('./content.tsx').then(setContent).catch((error: unknown) => {
        console.warn('A part of this page cannot be loaded', error)
        timer = setTimeout(load, AGAIN_MS)
      })
    }
    if (content === null) timer = setTimeout(load, stands ? 0 : PATIENCE_MS)
    return () => clearTimeout(timer)
  }, [stands])
  return content
}
