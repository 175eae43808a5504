import { SILENT_MS } from '@palanquin/domain/beacon-sentence'
import type { Language } from '@palanquin/domain/language'
import { type Map as MapLibre, Marker } from 'maplibre-gl'
import { nowMs as serverNowMs } from '../api/server-clock.ts'
import type { Beacon } from '../api/types.ts'
import type { Texts } from '../i18n/zh-tw.ts'
import { beaconElement, labelOf } from './beacon-element.ts'
import { glide } from './glide.ts'

type Place = { lat: number; lng: number }
type Shown = { marker: Marker; at: Place; stop: () => void }

/** Two fixes arrive about ten seconds apart: a beacon glides from one to the next in that time. */
const GLIDE_MS = 9_000

export type BeaconsShown = {
  beacons: readonly Beacon[]
  texts: Texts
  language: Language
  timezone: string
}

/** The beacons as markers of the page, so that each has a name and can be reached by keyboard. */
export function beaconMarkers(map: MapLibre, { calm }: { calm: boolean }) {
  const shown = new Map<string, Shown>()

  const removeOthers = (beacons: readonly Beacon[]): void => {
    for (const [id, { marker, stop }] of shown)
      if (!beacons.some((beacon) => beacon.id === id)) {
        stop()
        marker.remove()
        shown.delete(id)
      }
  }

  const move = (present: Shown, at: Place): void => {
    if (present.at.lat === at.lat && present.at.lng === at.lng) return
    present.stop()
    const { lat, lng } = present.marker.getLngLat()
    if (calm) present.marker.setLngLat(at)
    else
      present.stop = glide({ from: { lat, lng }, to: at, lastsMs: GLIDE_MS }, (place) =>
        present.marker.setLngLat(place),
      )
    present.at = at
  }

  return ({ beacons, texts, language, timezone }: BeaconsShown): void => {
    const nowMs = serverNowMs()
    removeOthers(beacons)
    for (const beacon of beacons) {
      const label = labelOf(beacon, { texts, language, timezone, nowMs })
      const silent = nowMs - Date.parse(beacon.recordedAt) > SILENT_MS
      const at = { lat: beacon.lat, lng: beacon.lng }
      const present = shown.get(beacon.id)
      if (present === undefined) {
        const element = beaconElement(beacon, { label, silent })
        const marker = new Marker({ element, anchor: 'bottom-left' }).setLngLat(at).addTo(map)
        shown.set(beacon.id, { marker, at, stop: () => {} })
        continue
      }
      const element = present.marker.getElement()
      element.setAttribute('aria-label', label)
      element.classList.toggle('beacon-silent', silent)
      move(present, at)
    }
  }
}
