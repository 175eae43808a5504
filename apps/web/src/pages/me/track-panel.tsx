import { useEffect, useRef, useState } from 'preact/hooks'
import { useMeTexts } from '../../i18n/me/texts.ts'
import type { TrackMap } from '../../map/track-map.ts'
import { useTexts } from '../../parts/context.ts'
import { MapFrame } from '../../parts/map-frame.tsx'
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
      <MapFrame holder={holder} map={map} label={me.trackLabel} showAllLabel={me.trackAll} />
      <p class="map-credit">{texts.mapCredit}</p>
    </>
  )
}
