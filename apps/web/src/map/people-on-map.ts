import type { Map as MapLibre, MapMouseEvent } from 'maplibre-gl'
import type { Colouring } from './colouring.ts'
import { mercator, movingDots } from './moving-dots.ts'
import type { Person } from './people.ts'
import { type PeopleColours, peopleLayer } from './people-layer.ts'
import { PEOPLE_MAX, tierOf } from './view.ts'

/** People are read every ten seconds: a dot glides from one place to the next in that time. */
const GLIDE_MS = 9_000
/** A finger is some 48 pixels wide: a tap finds the nearest dot within this. */
const TAP_PIXELS = 26

const COLOURS: Record<'light' | 'dark', PeopleColours> = {
  light: { fill: [0.7, 0.15, 0.12], ring: [1, 1, 1] },
  dark: { fill: [1, 0.82, 0.48], ring: [0.11, 0.09, 0.2] },
}

type Options = {
  centre: { lat: number; lng: number }
  colouring: Colouring
  calm: boolean
  /** Called with the person whose dot was tapped, and with null when something else was. */
  onPerson: (person: Person | null) => void
}

/** The dots of people from zoom 15 on; `show` takes them in, null takes them off. */
export function peopleOnMap(map: MapLibre, { centre, colouring, calm, onPerson }: Options) {
  const dots = movingDots({ centre, max: PEOPLE_MAX, lastsMs: calm ? 0 : GLIDE_MS })
  const layer = peopleLayer(dots, COLOURS.light)
  map.addLayer(layer)
  colouring((scheme) => layer.colour(COLOURS[scheme]))
  map.on('click', ({ point, lngLat }: MapMouseEvent) => {
    if (tierOf(map.getZoom()) !== 'people') return
    const tapped = mercator(lngLat)
    // One pixel in Mercator: the map may be anywhere, but is never turned.
    const pixel = Math.abs(mercator(map.unproject([point.x + 1, point.y])).x - tapped.x)
    const [nearest] = dots
      .places(performance.now())
      .map(({ person, x, y }) => ({ person, away: Math.hypot(x - tapped.x, y - tapped.y) / pixel }))
      .filter(({ away }) => away <= TAP_PIXELS)
      .sort((a, b) => a.away - b.away)
    onPerson(nearest?.person ?? null)
  })
  return (people: readonly Person[] | null): void => {
    dots.set(people ?? [], performance.now())
    layer.renew()
  }
}
