import { toIso } from '@palanquin/domain/time'
import type { Step } from './segments.ts'
import type { TrackPoint } from './store.ts'

/** Characters that XML 1.0 forbids, even escaped. */
const NOT_XML = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu
const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
/** Smaller numbers are written with an exponent, which xsd:decimal does not know. */
const PLAIN_MIN = 1e-6
const DECIMALS_MAX = 12

/** The namespace of what GPX has no element for: names, units and values of the API (speed in km/h). */
const EXTENSIONS = 'urn:palanquin:track:1'

/** The track as GPX 1.1 (topografix.com/GPX/1/1), in chunks: a track segment for each part. */
export async function* gpxOf(
  steps: AsyncIterable<Step[]>,
  { name, now }: { name: string; now: number },
): AsyncGenerator<string> {
  yield `<?xml version="1.0" encoding="UTF-8"?>
<gpx version="1.1" creator="Palanquin" xmlns="http://www.topografix.com/GPX/1/1" xmlns:palanquin="${EXTENSIONS}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://www.topografix.com/GPX/1/1 http://www.topografix.com/GPX/1/1/gpx.xsd">
<metadata><name>${escaped(name)}</name><time>${toIso(now)}</time></metadata>
<trk><name>${escaped(name)}</name>
`
  let isOpen = false
  for await (const page of steps) {
    let text = ''
    for (const { point, begins } of page) {
      if (begins) text += isOpen ? '</trkseg>\n<trkseg>\n' : '<trkseg>\n'
      isOpen = true
      text += pointOf(point)
    }
    yield text
  }
  yield `${isOpen ? '</trkseg>\n' : ''}</trk>\n</gpx>\n`
}

/** The schema prescribes this order of elements. */
function pointOf(point: TrackPoint): string {
  const { lat, lng, altitude, recordedAt, kind, note, source } = point
  // Longitudes of the schema end before 180.
  const place = `lat="${decimal(lat)}" lon="${decimal(lng === 180 ? -180 : lng)}"`
  const ele = altitude === null ? '' : `<ele>${decimal(altitude)}</ele>`
  const name = kind === 'checkin' ? '<name>check-in</name>' : ''
  const desc = note === null ? '' : `<desc>${escaped(note)}</desc>`
  return `<trkpt ${place}>${ele}<time>${toIso(recordedAt)}</time>${name}${desc}<src>${escaped(source)}</src>${extensionsOf(point)}</trkpt>\n`
}

function extensionsOf({ recordedAt, accuracy, speed, source, kind }: TrackPoint): string {
  const fields = { recordedAt: toIso(recordedAt), accuracy, speed, source, kind }
  const elements = Object.entries(fields).map(([name, value]) =>
    value === null ? '' : `<palanquin:${name}>${escaped(String(value))}</palanquin:${name}>`,
  )
  return `<extensions>${elements.join('')}</extensions>`
}

const decimal = (value: number): string =>
  Math.abs(value) < PLAIN_MIN ? value.toFixed(DECIMALS_MAX) : String(value)

const escaped = (text: string): string =>
  text.replace(NOT_XML, '').replace(/[&<>"]/g, (character) => ENTITIES[character] ?? '')
