import type { FeatureCollection } from 'geojson'
import { LngLatBounds, Map as MapLibre, setWorkerUrl } from 'maplibre-gl'
import { fetchInTime } from '../api/fetch-in-time.ts'
import { assetPath, loadStyles } from './assets.ts'
import { type Colouring, colouringOf, onTurn, recolour, schemeNow } from './colouring.ts'
import { createStyle } from './style.ts'

const PADDING = 36
/** A single place is shown with the towns around it. */
const ZOOM_MAX = 13

/** A map on which nothing but what its page draws is to be seen, and that sends nothing. */
export type OwnMap = {
  map: MapLibre
  /** Colours what its page draws on it. */
  colouring: Colouring
  /** Shows all of these places, longitude first. */
  showAll: (places: Iterable<readonly [number, number]>, options: { moves: boolean }) => void
  zoomBy: (steps: number) => void
  remove: () => void
}

/** Opens the map in an element; `onLost` is called when the graphics context is lost. */
export async function openOwnMap(element: HTMLElement, { onLost }: { onLost: () => void }): Promise<OwnMap> {
  setWorkerUrl(assetPath('map-worker'))
  await loadStyles(assetPath('map-styles'))
  const outlines: FeatureCollection = await (await fetchInTime(assetPath('map-outlines'))).json()
  const animate = !matchMedia('(prefers-reduced-motion: reduce)').matches
  const map = new MapLibre({
    container: element,
    style: createStyle(outlines, schemeNow()),
    attributionControl: false,
    dragRotate: false,
    pitchWithRotate: false,
    maxZoom: 18,
    minZoom: 5,
    ...(animate ? {} : { fadeDuration: 0 }),
  })
  map.touchZoomRotate.disableRotation()
  map.on('webglcontextlost', () => {
    map.remove()
    onLost()
  })
  await new Promise<void>((resolve) => map.once('load', () => resolve()))
  onTurn(map, (scheme) => recolour(map, createStyle(outlines, scheme)))
  return {
    map,
    colouring: colouringOf(map),
    showAll: (places, { moves }) => {
      const box = new LngLatBounds()
      for (const [lng, lat] of places) box.extend([lng, lat])
      if (!box.isEmpty())
        map.fitBounds(box, { padding: PADDING, maxZoom: ZOOM_MAX, animate: moves && animate })
    },
    zoomBy: (steps) => {
      map.zoomTo(map.getZoom() + steps, { animate })
    },
    remove: () => map.remove(),
  }
}
