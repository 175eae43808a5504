import { useEffect, useRef, useState } from 'preact/hooks'
import { useMeTexts } from '../../i18n/me/texts.ts'
import type { TrackMap } from '../../map/track-map.ts'
import { useTexts } from '../../parts/context.ts'
import { Icon } from '../../parts/icon.tsx'
import type { Line } from '../../recording/gaps.ts'

/** The map of my track with its buttons. Its chunk comes when it is looked at. */
export function TrackPanel({ line }: { line: Line }) {
  const { texts } = useTexts()
  const { me } = useMeTexts()
  const holder = useRef<HTMLDivElement>(null)
  const [map, setMap] = useState<TrackMap | null>(null)
  const [failed, setFailed] = useState(false)
  useEffect(() => {
    const element = holder.current
    if (element === null) return
    import('../../map/track-map.ts')
      .then(({ createTrackMap }) => createTrackMap(element, { line, onLost: () => setFailed(true) }))
      .then(setMap)
      .catch((error: unknown) => {
        console.warn('The map cannot be shown', error)
        setFailed(true)
      })
  }, [])
  useEffect(() => map?.show(line), [map, line])
  if (failed) return <p class="banner">{texts.mapUnavailable}</p>
  return (
    <>
      <div class="map-frame">
        <div class="map" ref={holder} role="application" aria-label={me.trackLabel}>
          {map === null && <p class="map-loading">{texts.mapLoading}</p>}
        </div>
        <div class="map-buttons">
          <button type="button" class="round" aria-label={texts.zoomIn} onClick={() => map?.zoomBy(1)}>
            <Icon name="plus" />
          </button>
          <button type="button" class="round" aria-label={texts.zoomOut} onClick={() => map?.zoomBy(-1)}>
            <Icon name="minus" />
          </button>
          <button type="button" class="round" aria-label={me.trackAll} onClick={() => map?.showAll()}>
            <Icon name="route" />
          </button>
        </div>
      </div>
      <p class="map-credit">{texts.mapCredit}</p>
    </>
  )
}
