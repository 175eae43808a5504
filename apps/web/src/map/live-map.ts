import { inLanguage, type Language } from '@palanquin/domain/language'
import type { FeatureCollection } from 'geojson'
import { type GeoJSONSource, Map as MapLibre, Marker, setWorkerUrl } from 'maplibre-gl'
import { fetchInTime } from '../api/fetch-in-time.ts'
import type { Activity, Density, Places, RouteLine, Trail } from '../api/types.ts'
import { assetPath, loadStyles } from './assets.ts'
import { type BeaconsShown, beaconMarkers } from './beacon-markers.ts'
import { colouringOf, onTurn, recolour, schemeNow } from './colouring.ts'
import { blobsOf } from './density.ts'
import type { Person } from './people.ts'
import { peopleOnMap } from './people-on-map.ts'
import { createStyle, EMPTY } from './style.ts'
import type { View } from './view.ts'

type Place = { lat: number; lng: number }

/** The map as the page drives it. All data come in; nothing goes out but the view. */
export type LiveMap = {
  show: (beacons: BeaconsShown) => void
  showDensity: (density: Density | null) => void
  showPeople: (people: readonly Person[] | null) => void
  showPlaces: (places: Places | null, language: Language) => void
  showRoute: (route: RouteLine | null) => void
  showTrail: (trail: Trail | null) => void
  showOwn: (place: Place | null, label: string) => void
  moveTo: (place: Place) => void
  zoomBy: (steps: number) => void
  showAll: () => void
}

export type MapEvents = {
  /** Called with the first view and after every move. */
  onView: (view: View) => void
  /** Called with the person whose dot was tapped, and with null when something else was. */
  onPerson: (person: Person | null) => void
  /** Called when the graphics context is lost; the map is gone then. */
  onLost: () => void
}

const FOLLOW_ZOOM = 13

/** Draws the map into an element. @param bounds what it shows at first */
export async function createLiveMap(
  element: HTMLElement,
  { bounds, onView, onPerson, onLost }: MapEvents & { bounds: Activity['bounds'] },
): Promise<LiveMap> {
  setWorkerUrl(assetPath('map-worker'))
  await loadStyles(assetPath('map-styles'))
  const box: [number, number, number, number] = [bounds.west, bounds.south, bounds.east, bounds.north]
  const outlines: FeatureCollection = await (await fetchInTime(assetPath('map-outlines'))).json()
  const calm = matchMedia('(prefers-reduced-motion: reduce)').matches
  const map = new MapLibre({
    container: element,
    style: createStyle(outlines, schemeNow()),
    bounds: box,
    fitBoundsOptions: { padding: 24 },
    attributionControl: false,
    ...(calm ? { fadeDuration: 0 } : {}),
    dragRotate: false,
    pitchWithRotate: false,
    maxZoom: 18,
    minZoom: 5,
  })
  map.touchZoomRotate.disableRotation()
  map.on('webglcontextlost', () => {
    map.remove()
    onLost()
  })
  await new Promise<void>((resolve) => map.once('load', () => resolve()))
  onTurn(map, (scheme) => recolour(map, createStyle(outlines, scheme)))
  const source = (name: string) => map.getSource<GeoJSONSource>(name)
  const centre = { lat: (bounds.south + bounds.north) / 2, lng: (bounds.west + bounds.east) / 2 }
  const tellView = () => onView(viewOf(map))
  map.on('moveend', tellView)
  tellView()

  return {
    show: beaconMarkers(map, { calm }),
    showPeople: peopleOnMap(map, { centre, colouring: colouringOf(map), calm, onPerson }),
    showDensity: (density) =>
      source('density')?.setData(density === null ? EMPTY : blobsOf(density, map.getZoom())),
    showPlaces: (places, language) =>
      source('places')?.setData(places === null ? EMPTY : namedPlaces(places, language)),
    showRoute: (route) => source('route')?.setData(route ?? EMPTY),
    showTrail: (trail) => source('trail')?.setData(trail ?? EMPTY),
    showOwn: ownMarker(map),
    moveTo: (place) => {
      map.easeTo({ center: place, zoom: Math.max(map.getZoom(), FOLLOW_ZOOM), animate: !calm })
    },
    zoomBy: (steps) => {
      map.zoomTo(map.getZoom() + steps, { animate: !calm })
    },
    showAll: () => {
      map.fitBounds(box, { padding: 24, animate: !calm })
    },
  }
}

function viewOf(map: MapLibre): View {
  const bounds = map.getBounds()
  const box = {
    west: bounds.getWest(),
    south: bounds.getSouth(),
    east: bounds.getEast(),
    north: bounds.getNorth(),
  }
  return { zoom: map.getZoom(), box }
}

const namedPlaces = ({ features }: Places, language: Language) => ({
  type: 'FeatureCollection' as const,
  features: features.map(({ geometry, properties: { kind, name } }) => ({
    type: 'Feature' as const,
    geometry,
    properties: { kind, name: inLanguage(language, name) },
  })),
})

function ownMarker(map: MapLibre) {
  let own: Marker | null = null
  return (place: Place | null, label: string): void => {
    if (place === null) {
      own?.remove()
      own = null
    } else if (own === null) {
      const dot = document.createElement('div')
      dot.className = 'own-position'
      dot.setAttribute('role', 'img')
      dot.setAttribute('aria-label', label)
      own = new Marker({ element: dot }).setLngLat(place).addTo(map)
    } else own.setLngLat(place)
  }
}
