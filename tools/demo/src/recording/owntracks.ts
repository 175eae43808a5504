import type { RawFix } from './fix.ts'

/** A recorder's line prefix: time and kind, separated by tabs. */
const RECORDER_PREFIX = /^\S+\t\S+\s*\t/

/**
 * Locations of OwnTracks: an array, one object, the `{data: […]}` of its recorder's API, or JSON lines of
 * phones and recorders. Messages of other types are skipped. Undefined when there is no location.
 */
export function readOwnTracks(text: string): RawFix[] | undefined {
  const messages = messagesOf(text)
  const locations = messages.filter(isLocation)
  if (locations.length === 0) return undefined
  return locations.map((at) => ({
    lat: at.lat,
    lng: at.lon,
    time: at.tst,
    accuracy: at.acc,
    speed: at.vel, // km/h
    altitude: at.alt,
    heading: at.cog,
  }))
}

type Location = Record<'lat' | 'lon' | 'tst' | 'acc' | 'vel' | 'alt' | 'cog', unknown>

const isLocation = (value: unknown): value is Location =>
  typeof value === 'object' && value !== null && '_type' in value && value._type === 'location'

function messagesOf(text: string): unknown[] {
  const whole = parsed(text)
  if (Array.isArray(whole)) return whole
  if (typeof whole === 'object' && whole !== null && 'data' in whole && Array.isArray(whole.data))
    return whole.data
  if (whole !== undefined) return [whole]
  return text.split('\n').map((line) => parsed(line.replace(RECORDER_PREFIX, '')))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // not JSON, or a line that is not
  }
}
