import { SILENT_MS } from '@palanquin/domain/beacon-sentence'
import { type GeoJSONSource, Map as MapLibre, Marker, setWorkerUrl } from 'maplibre-gl'
import type { Activity, Beacon, Density, Places, RouteLine, Trail } from '../api/types.ts'
import type { Language, Texts } from '../i18n/texts.ts'
import { beaconElement, labelOf } from './beacon-element.ts'
import { cellsOf } from './density.ts'
import { glide } from './glide.ts'
import { createStyle, EMPTY } from './style.ts'

type Place = { lat: number; lng: number }
type Shown = { marker: Marker; at: Place; stop: () => void }

/** The map as the page drives it. All data come in; nothing goes out. */
export type LiveMap = {
  show: (options: { beacons: readonly Beacon[]; texts: Texts; language: Language; timezone: string }) => void
  showDensity: (density: Density | null) => void
  showPlaces: (places: Places | null, language: Language) => void
  showRoute: (route: RouteLine | null) => void
  showTrail: (trail: Trail | null) => void
  showOwn: (place: Place | null, label: string) => void
  moveTo: (place: Place) => void
  zoomBy: (steps: number) => void
  showAll: () => void
}

/** Two fixes arrive about ten seconds apart: a beacon glides from one to the next in that time. */
const GLIDE_MS = 9_000
const FOLLOW_ZOOM = 13

/**
 * Draws the map into an element.
 * @param bounds what it shows at first: the activity's box
 * @param onLost called when the graphics context is lost; the text goes on
 */
export async function createLiveMap(
  element: HTMLElement,
  { bounds, onLost }: { bounds: Activity['bounds']; onLost: () => void },
): Promise<LiveMap> {
  setWorkerUrl(assetPath('map-worker'))
  await loadStyles(assetPath('map-styles'))
  const box: [number, number, number, number] = [bounds.west, bounds.south, bounds.east, bounds.north]
  const outlines = await fetch(assetPath('map-outlines'))
  const map = new MapLibre({
    container: element,
    style: createStyle(await outlines.json(), matchMedia('(prefers-color-scheme: dark)').matches),
    bounds: box,
    fitBoundsOptions: { padding: 24 },
    attributionControl: false,
    dragRotate: false,
    pitchWithRotate: false,
    maxZoom: 18,
    minZoom: 5,
  })
  map.touchZoomRotate.disableRotation()
  map.on('webglcontextlost', onLost)
  await new Promise<void>((resolve) => map.once('load', () => resolve()))
  const calm = matchMedia('(prefers-reduced-motion: reduce)').matches
  const source = (name: string) => map.getSource<GeoJSONSource>(name)
  const shown = new Map<string, Shown>()
  let own: Marker | null = null

  return {
    show: ({ beacons, texts, language, timezone }) => {
      const nowMs = Date.now()
      for (const [id, { marker, stop }] of shown)
        if (!beacons.some((beacon) => beacon.id === id)) {
          stop()
          marker.remove()
          shown.delete(id)
        }
      for (const beacon of beacons) {
        const label = labelOf(beacon, { texts, language, timezone, nowMs })
        const silent = nowMs - Date.parse(beacon.recordedAt) > SILENT_MS
        const present = shown.get(beacon.id)
        const at = { lat: beacon.lat, lng: beacon.lng }
        if (present === undefined) {
          const marker = new Marker({ element: beaconElement(beacon, { label, silent }), anchor: 'bottom' })
            .setLngLat(at)
            .addTo(map)
          shown.set(beacon.id, { marker, at, stop: () => {} })
          continue
        }
        const markerElement = present.marker.getElement()
        markerElement.setAttribute('aria-label', label)
        markerElement.classList.toggle('beacon-silent', silent)
        if (present.at.lat === at.lat && present.at.lng === at.lng) continue
        present.stop()
        const from = present.marker.getLngLat()
        if (calm) present.marker.setLngLat(at)
        else
          present.stop = glide(
            { from: { lat: from.lat, lng: from.lng }, to: at, lastsMs: GLIDE_MS },
            (place) => present.marker.setLngLat(place),
          )
        present.at = at
      }
    },
    showDensity: (density) => source('density')?.setData(density === null ? EMPTY : cellsOf(density)),
    showPlaces: (places, language) =>
      source('places')?.setData(
        places === null
          ? EMPTY
          : {
              type: 'FeatureCollection',
              features: places.features.map((feature) => ({
                type: 'Feature' as const,
                geometry: feature.geometry,
                properties: {
                  kind: feature.properties.kind,
                  name: language === 'en' ? feature.properties.name.en : feature.properties.name.zh,
                },
              })),
            },
      ),
    showRoute: (route) => source('route')?.setData(route ?? EMPTY),
    showTrail: (trail) => source('trail')?.setData(trail ?? EMPTY),
    showOwn: (place, label) => {
      if (place === null) {
        own?.remove()
        own = null
        return
      }
      if (own === null) {
        const dot = document.createElement('div')
        dot.className = 'own-position'
        dot.setAttribute('role', 'img')
        dot.setAttribute('aria-label', label)
        own = new Marker({ element: dot }).setLngLat(place).addTo(map)
      } else own.setLngLat(place)
    },
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

/** Where the build has put a file of the map, as the page's head says. */
function assetPath(name: 'map-worker' | 'map-styles' | 'map-outlines'): string {
  const path = document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content
  if (!path) throw new Error(`this page names no ${name}`)
  return path
}

function loadStyles(path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const link = document.createElement('link')
    link.rel = 'stylesheet'
    link.href = path
    link.onload = () => resolve()
    link.onerror = () => reject(new Error(`${path} could not be loaded`))
    document.head.append(link)
  })
}
