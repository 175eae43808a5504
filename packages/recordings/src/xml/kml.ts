import type { RawFix } from '../fix.ts'
import { type Found, POINTS_MAX } from '../found.ts'
import { Unreadable } from '../unreadable.ts'
import { readXml } from './read.ts'

type Track = { times: string[]; places: string[] }
/** What a Placemark has said so far. A time span is no moment. */
type Placemark = { time: string | undefined; fix: RawFix | undefined; line: number }

/** Points of `gx:Track`, and Placemarks of one moment. @returns whether it was truncated @throws Unreadable */
export function readKml(texts: Iterable<string>, found: Found): boolean {
  let track: Track | undefined
  let placemark: Placemark | undefined
  const within: string[] = []
  const isIn = (name: string) => within.includes(name)
  const { incomplete } = readXml(texts, {
    open: ({ name }) => {
      within.push(name)
      if (name === 'Track') track = { times: [], places: [] }
      if (name === 'Placemark') placemark = { time: undefined, fix: undefined, line: 0 }
    },
    text: (piece) => {
      // Of a line the places are counted alone, so that it may be of any length.
      if (placemark && within.at(-1) === 'coordinates' && (isIn('LineString') || isIn('LinearRing')))
        placemark.line += piece.split(/\s+/).filter((place) => place.includes(',')).length
    },
    close: ({ name }, text) => {
      within.pop()
      if (track && name === 'when') track.times.push(text)
      else if (track && name === 'coord') track.places.push(text)
      else if (track && name === 'Track') {
        addTrack(track, found)
        track = undefined
      } else if (placemark && name === 'when' && isIn('TimeStamp')) placemark.time ??= text
      else if (placemark && name === 'coordinates' && isIn('Point')) placemark.fix ??= placeOf(text, ',')
      else if (placemark && name === 'Placemark') {
        addPlacemark(placemark, found)
        placemark = undefined
      }
      if (track && track.places.length > POINTS_MAX)
        throw new Unreadable('refused', 'This KML has a track without end.')
    },
  })
  if (incomplete && track) addTrack(track, found)
  if (incomplete && found.fixes.length === 0)
    throw new Unreadable('damaged', 'This KML ends before its first point.')
  return incomplete
}

/** The lists of a broken file differ in length. */
function addTrack({ times, places }: Track, found: Found): void {
  for (let at = 0; at < Math.max(times.length, places.length); at++)
    found.add({ ...placeOf(places[at] ?? '', ' '), time: times[at] })
}

function addPlacemark({ time, fix, line }: Placemark, found: Found): void {
  if (fix) found.add({ ...fix, time })
  for (let at = 0; at < line; at++) found.add({ lat: 0, lng: 0 })
}

function placeOf(text: string, separator: string): RawFix {
  const [lng, lat, altitude] = text.trim().split(separator === ' ' ? /\s+/ : separator)
  return { lat, lng, altitude }
}
