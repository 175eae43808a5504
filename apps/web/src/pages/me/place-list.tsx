import { inLanguage } from '@palanquin/domain/language'
import { useResource } from '../../api/resource.ts'
import type { PlaceFeature, Places } from '../../api/types.ts'
import { useMeTexts } from '../../i18n/me/texts.ts'

const PLACES_EVERY_MS = 60_000

/** Where no satellite is seen: the person says at which place they are. */
export function PlaceList({
  onChoose,
  onCancel,
}: {
  onChoose: (place: PlaceFeature) => void
  onCancel: () => void
}) {
  const { language, me } = useMeTexts()
  const { data } = useResource<Places>('/places', PLACES_EVERY_MS)
  const places = data?.features ?? []
  return (
    <section class="banner">
      <p role="alert">{places.length === 0 ? me.checkinNoPlaces : me.checkinNoFix}</p>
      <ul class="place-choices">
        {places.map((place) => (
          <li key={place.id}>
            <button type="button" class="button" onClick={() => onChoose(place)}>
              {inLanguage(language, place.properties.name)}
            </button>
          </li>
        ))}
      </ul>
      <button type="button" class="button" onClick={onCancel}>
        {me.checkinCancel}
      </button>
    </section>
  )
}
