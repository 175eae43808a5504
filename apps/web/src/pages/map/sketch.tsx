import { palanquinOf } from '@palanquin/domain/beacon-sentence'
import type { Activity, Beacons, RouteLine } from '../../api/types.ts'
import { mercator } from '../../map/moving-dots.ts'

const WIDTH = 320
const MARGIN = 16

/** Route and palanquin as a still picture, where there is no map. The text beside it says the same. */
export function Sketch({
  bounds,
  route,
  beacons,
}: {
  bounds: Activity['bounds']
  route: RouteLine | null
  beacons: Beacons | null
}) {
  const [northWest, southEast] = [
    mercator({ lat: bounds.north, lng: bounds.west }),
    mercator({ lat: bounds.south, lng: bounds.east }),
  ]
  const scale = (WIDTH - 2 * MARGIN) / Math.max(southEast.x - northWest.x, Number.EPSILON)
  const height = Math.round((southEast.y - northWest.y) * scale) + 2 * MARGIN
  const at = (lng: number, lat: number) => {
    const { x, y } = mercator({ lat, lng })
    return [(x - northWest.x) * scale + MARGIN, (y - northWest.y) * scale + MARGIN].map((value) =>
      value.toFixed(1),
    )
  }
  const palanquin = palanquinOf(beacons)
  const [x, y] = palanquin === null ? [] : at(palanquin.lng, palanquin.lat)
  if (palanquin === null && (route?.features.length ?? 0) === 0) return null
  return (
    <svg class="sketch" viewBox={`0 0 ${WIDTH} ${height}`} aria-hidden="true" focusable="false">
      {route?.features.map(({ geometry: { coordinates } }, index) => (
        <polyline key={index} points={coordinates.map(([lng, lat]) => at(lng, lat).join(',')).join(' ')} />
      ))}
      {palanquin !== null && <circle cx={x} cy={y} r="8" />}
    </svg>
  )
}
