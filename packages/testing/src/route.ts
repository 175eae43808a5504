import { greatCircleKm, type Place } from '@palanquin/domain/geo'

/** Temples and towns that a procession on Taiwan's west coast passes, roughly. */
export const PILGRIMAGE_ROUTE: readonly Place[] = [
  { lat: 24.3457, lng: 120.6238 },
  { lat: 24.2706, lng: 120.5766 },
  { lat: 24.2329, lng: 120.5563 },
  { lat: 24.1128, lng: 120.4947 },
  { lat: 24.0759, lng: 120.5444 },
  { lat: 23.9592, lng: 120.5747 },
  { lat: 23.8012, lng: 120.4632 },
  { lat: 23.7087, lng: 120.4341 },
  { lat: 23.5681, lng: 120.3043 },
  { lat: 23.5561, lng: 120.3472 },
]

/** The metres of one degree of latitude on the mean sphere. */
const METRES_PER_DEGREE = 111_195

export type Route = {
  lengthKm: number
  /** The place after so many kilometres; at the end the way leads back, and so on for ever. */
  placeAt: (km: number) => Place
}

/** A way along straight legs. */
export function routeAlong(corners: readonly Place[]): Route {
  const legs: { from: Place; to: Place; startKm: number; lengthKm: number }[] = []
  let lengthKm = 0
  for (const [index, to] of corners.entries()) {
    const from = corners[index - 1]
    if (!from) continue
    const legKm = greatCircleKm({ from, to })
    legs.push({ from, to, startKm: lengthKm, lengthKm: legKm })
    lengthKm += legKm
  }
  if (lengthKm === 0) throw new RangeError('a route needs two different places')

  const placeAt = (km: number): Place => {
    const round = km % (2 * lengthKm)
    const along = round <= lengthKm ? round : 2 * lengthKm - round
    const leg = legs.findLast((candidate) => candidate.startKm <= along && candidate.lengthKm > 0)
    if (!leg) throw new RangeError(`no leg at ${km} km`)
    const share = Math.min(1, (along - leg.startKm) / leg.lengthKm)
    return {
      lat: leg.from.lat + (leg.to.lat - leg.from.lat) * share,
      lng: leg.from.lng + (leg.to.lng - leg.from.lng) * share,
    }
  }
  return { lengthKm, placeAt }
}

/** The place some metres to the north and east of another. */
export function displaced(place: Place, { northM, eastM }: { northM: number; eastM: number }): Place {
  const lat = place.lat + northM / METRES_PER_DEGREE
  const lng = place.lng + eastM / (METRES_PER_DEGREE * Math.cos((place.lat * Math.PI) / 180))
  return { lat, lng }
}
