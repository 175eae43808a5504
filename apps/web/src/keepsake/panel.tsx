import { useEffect, useRef, useState } from 'preact/hooks'
import { useKeepsakeTexts } from '../i18n/keepsake/texts.ts'
import { canShowMap } from '../pages/map/use-live-map.ts'
import { useTexts } from '../parts/context.ts'
import { MapFrame } from '../parts/map-frame.tsx'
import { type LngLat, sheetOf } from './drawing.ts'
import type { KeepsakeMap } from './keepsake-map.ts'
import { pictureOf } from './picture.ts'
import type { OwnPhoto } from './read-walk.ts'
import type { LookedBack } from './use-walk.ts'

const STILL_WIDTH = 420

/** Where photos were taken, as far as it is known. */
const photoPlaces = (photos: readonly OwnPhoto[]): LngLat[] =>
  photos.flatMap(({ point }) => (point === null ? [] : [[point.lng, point.lat] satisfies LngLat]))

/** The walk on the map; a still picture where there is none. */
export function Panel({ walk }: { walk: LookedBack }) {
  const { drawn, photos } = walk
  const { texts } = useTexts()
  const { keepsake } = useKeepsakeTexts()
  const holder = useRef<HTMLDivElement>(null)
  const [map, setMap] = useState<KeepsakeMap | null>(null)
  const [failed, setFailed] = useState(!canShowMap())
  useEffect(() => {
    const element = holder.current
    if (element === null) return
    let left = false
    let made: KeepsakeMap | undefined
    import('./keepsake-map.ts')
      .then(({ createKeepsakeMap }) =>
        createKeepsakeMap(element, { drawn, photos: photoPlaces(photos), onLost: () => setFailed(true) }),
      )
      .then((created) => {
        made = created
        if (left) created.remove()
        else setMap(created)
      })
      .catch((error: unknown) => {
        console.warn('The map cannot be shown', error)
        setFailed(true)
      })
    return () => {
      left = true
      made?.remove()
    }
  }, [drawn, photos])
  return (
    <>
      {failed ? (
        <Still walk={walk} places={photoPlaces(photos)} />
      ) : (
        <MapFrame holder={holder} map={map} label={keepsake.mapLabel} showAllLabel={keepsake.mapAll} />
      )}
      <p class="small">{keepsake.legend}</p>
      <p class="map-credit">{texts.mapCredit}</p>
    </>
  )
}

function Still({ walk: { drawn, outlines }, places }: { walk: LookedBack; places: readonly LngLat[] }) {
  const { keepsake } = useKeepsakeTexts()
  const sheet = sheetOf(drawn, outlines, STILL_WIDTH)
  const svg = pictureOf({ drawn, sheet, photos: places, label: '' })
  return (
    <img
      class="still"
      src={`data:image/svg+xml,${encodeURIComponent(svg)}`}
      width={sheet.width}
      height={sheet.height}
      alt={keepsake.mapLabel}
    />
  )
}
