import { motionInWords, placeInWords, SILENT_MS } from '@palanquin/domain/beacon-sentence'
import { inLanguage, type Language } from '@palanquin/domain/language'
import { ageInWords } from '@palanquin/domain/time-in-words'
import { type Map as MapLibre, Marker } from 'maplibre-gl'
import { nowMs as serverNowMs } from '../api/server-clock.ts'
import type { Beacon } from '../api/types.ts'
import type { Texts } from '../i18n/zh-tw.ts'

const SVG = 'http://www.w3.org/2000/svg'

/** What a beacon's marker says to a screen reader. */
function labelOf(
  beacon: Beacon,
  { texts, language, timezone, nowMs }: { texts: Texts; language: Language; timezone: string; nowMs: number },
): string {
  const name = inLanguage(language, beacon.name)
  const age = ageInWords(texts, nowMs - Date.parse(beacon.recordedAt))
  return `${name}: ${placeInWords(beacon, language)}, ${motionInWords(beacon, { language, timezone, nowMs })}, ${age}`
}

/** A marker that can be reached by keyboard; its name shows when it has the focus. */
function beaconElement(beacon: Beacon, { label, silent }: { label: string; silent: boolean }): HTMLElement {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = `beacon beacon-${beacon.kind}${silent ? ' beacon-silent' : ''}`
  button.setAttribute('aria-label', label)
  const icon = document.createElementNS(SVG, 'svg')
  icon.setAttribute('class', 'icon')
  icon.setAttribute('aria-hidden', 'true')
  const use = document.createElementNS(SVG, 'use')
  use.setAttribute('href', `#icon-${beacon.kind}`)
  icon.append(use)
  button.append(icon)
  return button
}

type Place = { lat: number; lng: number }
type Shown = { marker: Marker; at: Place; stop: () => void }

/** Two fixes arrive about ten seconds apart: a beacon glides from one to the next in that time. */
const GLIDE_MS = 9_000

export type BeaconsShown = { beacons: readonly Beacon[]; texts: Texts; language: Language; timezone: string }

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

/** Moves from one place to another at a steady pace. @returns a function that stops it where it is */
function glide(
  { from, to, lastsMs }: { from: Place; to: Place; lastsMs: number },
  put: (place: Place) => void,
): () => void {
  const startMs = performance.now()
  let frame = 0
  const step = (nowMs: number) => {
    const part = Math.min(1, Math.max(0, (nowMs - startMs) / lastsMs))
    put({ lat: from.lat + (to.lat - from.lat) * part, lng: from.lng + (to.lng - from.lng) * part })
    if (part < 1) frame = requestAnimationFrame(step)
  }
  frame = requestAnimationFrame(step)
  return () => cancelAnimationFrame(frame)
}
