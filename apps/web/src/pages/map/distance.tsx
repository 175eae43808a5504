import { fill } from '@palanquin/domain/fill-text'
import { greatCircleKm } from '@palanquin/domain/geo'
import type { Beacon } from '../../api/types.ts'
import { distanceInWords, walkingTimeInWords } from '../../i18n/format.ts'
import { useTexts } from '../../parts/context.ts'
import type { Place } from './own-position.ts'

/** How far it is to the palanquin, as the crow flies, and how long that takes on foot. */
export function DistanceToPalanquin({ palanquin, own }: { palanquin: Beacon | null; own: Place | null }) {
  const { language, texts } = useTexts()
  if (palanquin === null || own === null) return null
  const km = greatCircleKm({ from: own, to: palanquin })
  const distance = distanceInWords(
    km,
    { kmAway: texts.distanceTo, metresAway: texts.distanceToMetres },
    language,
  )
  const time = fill(texts.walkingTime, { time: walkingTimeInWords(km, texts) })
  return (
    <p class="distance" role="status">
      {distance} · {time}
    </p>
  )
}
