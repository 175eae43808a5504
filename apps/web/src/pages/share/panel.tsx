import { useEffect, useRef, useState } from 'preact/hooks'
import type { Seen, SharedMap } from '../../map/shared-map.ts'
import { useTexts } from '../../parts/context.ts'
import { MapFrame } from '../../parts/map-frame.tsx'
import { canShowMap } from '../map/use-live-map.ts'

/** The map under the words that say the same. Its chunk comes when they stand; without it they are enough. */
export function SharedPanel({ seen }: { seen: Seen }) {
  const { texts } = useTexts()
  const holder = useRef<HTMLDivElement>(null)
  const [map, setMap] = useState<SharedMap | null>(null)
  const [shown, setShown] = useState(false)
  useEffect(() => setShown(canShowMap()), [])
  useEffect(() => {
    const element = holder.current
    if (!shown || element === null) return
    const giveUp = () => setShown(false)
    import('../../map/shared-map.ts')
      .then(({ createSharedMap }) => createSharedMap(element, { seen, onLost: giveUp }))
      .then(setMap)
      .catch((error: unknown) => {
        console.warn('The map cannot be shown', error)
        giveUp()
      })
  }, [shown])
  useEffect(() => map?.show(seen), [map, seen])
  if (!shown) return null
  return (
    <>
      <MapFrame holder={holder} map={map} label={texts.shareMap} showAllLabel={texts.shareMapAll} />
      <p class="map-credit">{texts.mapCredit}</p>
    </>
  )
}
