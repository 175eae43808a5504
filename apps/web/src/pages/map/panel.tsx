import { useTexts } from '../../parts/context.ts'
import { MapFrame } from '../../parts/map-frame.tsx'
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
      <MapFrame holder={holder} map={map} label={texts.mapLabel} showAllLabel={texts.wholeRoute}>
        <PeopleSentence people={people} />
        <PersonCard person={person} close={forgetPerson} />
      </MapFrame>
      <p class="map-credit">
        {hasBaseMap && `${texts.baseMapCredit}. `}
        {texts.mapCredit}
      </p>
    </>
  )
}
