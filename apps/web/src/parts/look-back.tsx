import { fill } from '@palanquin/domain/fill-text'
import { greatCircleKm } from '@palanquin/domain/geo'
import { useResource } from '../api/resource.ts'
import type { RouteLine } from '../api/types.ts'
import { countInWords } from '../i18n/format.ts'
import { useTexts } from './context.ts'

const ROUTE_EVERY_MS = 300_000

/**
 * At the end: how long the way was, where the organisers gave it, and thanks.
 * @param linksToCard false on the page that has the card
 */
export function LookBack({ linksToCard }: { linksToCard: boolean }) {
  const { language, texts } = useTexts()
  const { data } = useResource<RouteLine>('/route', ROUTE_EVERY_MS)
  const km = (data?.features ?? []).reduce((sum, { geometry }) => sum + lengthKm(geometry.coordinates), 0)
  return (
    <>
      {km >= 1 && <p>{fill(texts.endedDistance, { km: countInWords(Math.round(km), language) })}</p>}
      <p>{texts.endedBody}</p>
      {linksToCard && (
        <a class="button" href={`/me?lang=${language}`}>
          {texts.endedCard}
        </a>
      )}
    </>
  )
}

const lengthKm = (line: readonly [number, number][]): number =>
  line.slice(1).reduce((sum, [lng, lat], index) => {
    const [fromLng, fromLat] = line[index] ?? [lng, lat]
    return sum + greatCircleKm({ from: { lat: fromLat, lng: fromLng }, to: { lat, lng } })
  }, 0)
