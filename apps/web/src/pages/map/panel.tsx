import { useTexts } from '../../parts/context.ts'
import { Icon } from '../../parts/icon.tsx'
import { type PeopleInView, PeopleSentence, PersonCard } from './people.tsx'
import type { useLiveMap } from './use-live-map.ts'

/** The map with its buttons, how many people it shows, and whom a tap found. */
export function MapPanel({
  live,
  people,
  hasBaseMap,
}: {
  live: ReturnType<typeof useLiveMap>
  people: PeopleInView | null
  hasBaseMap: boolean
}) {
  const { texts } = useTexts()
  const { holder, map, person, forgetPerson } = live
  return (
    <>
      <div class="map-frame">
        <div class="map" ref={holder} role="application" aria-label={texts.mapLabel}>
          {map === null && <p class="map-loading">{texts.mapLoading}</p>}
        </div>
        <PeopleSentence people={people} />
        <PersonCard person={person} close={forgetPerson} />
        <div class="map-buttons">
          <button type="button" class="round" aria-label={texts.zoomIn} onClick={() => map?.zoomBy(1)}>
            <Icon name="plus" />
          </button>
          <button type="button" class="round" aria-label={texts.zoomOut} onClick={() => map?.zoomBy(-1)}>
            <Icon name="minus" />
          </button>
          <button type="button" class="round" aria-label={texts.wholeRoute} onClick={() => map?.showAll()}>
            <Icon name="route" />
          </button>
        </div>
      </div>
      <p class="map-credit">
        {hasBaseMap && `${texts.baseMapCredit}. `}
        {texts.mapCredit}
      </p>
    </>
  )
}
