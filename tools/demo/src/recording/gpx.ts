import { LauncherError } from '@palanquin/stack/launcher-error'
import { SaxesParser } from 'saxes'
import { kmhOf, type RawFix } from './fix.ts'

const POINTS = ['trkpt', 'rtept', 'wpt'] as const
type PointName = (typeof POINTS)[number]
/** Our own exports have km/h in the extensions of a point; all others metres per second. */
const KMH_SPEED = 'palanquin:speed'

/**
 * Points of a GPX 1.0 or 1.1 file: of its tracks, else of its routes, else its waypoints. A truncated file
 * is read up to its end. @throws LauncherError for XML that is not GPX, or not well-formed
 */
export function readGpx(xml: string): RawFix[] {
  const found: Record<PointName, RawFix[]> = { trkpt: [], rtept: [], wpt: [] }
  const parser = new SaxesParser()
  let root: string | undefined
  let problem: Error | undefined
  let point: { name: PointName; fix: RawFix } | undefined
  let text = ''
  parser.on('error', (error) => {
    problem ??= error
  })
  parser.on('opentag', ({ name, attributes }) => {
    root ??= localName(name)
    text = ''
    const element = POINTS.find((each) => each === localName(name))
    if (element) point = { name: element, fix: placeOf(attributes) }
  })
  const take = (piece: string) => {
    text += piece
  }
  parser.on('text', take)
  parser.on('cdata', take)
  parser.on('closetag', ({ name }) => {
    if (!point) return
    if (localName(name) === point.name) {
      found[point.name].push(point.fix)
      point = undefined
    } else read(point.fix, name, text.trim())
    text = ''
  })
  parser.write(xml).close()
  if (root !== 'gpx')
    throw new LauncherError(
      `This is XML but not GPX: ${root === undefined ? problem?.message : `it is a <${root}>`}.`,
    )
  const points = POINTS.map((name) => found[name]).find((each) => each.length > 0) ?? []
  if (problem && points.length === 0) throw new LauncherError(`This GPX cannot be read: ${problem.message}.`)
  return points
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1)

const placeOf = ({ lat, lon }: Readonly<Record<string, string>>): RawFix => ({ lat, lng: lon })

/** A child element of a point, with or without a namespace, also inside `extensions`. */
function read(fix: RawFix, name: string, text: string): void {
  if (name === KMH_SPEED) fix.speed = text
  else
    switch (localName(name)) {
      case 'time':
        fix.time ??= text
        break
      case 'ele':
        fix.altitude ??= text
        break
      case 'course':
        fix.heading ??= text
        break
      case 'speed':
        fix.speed ??= kmhOf(text)
        break
      case 'accuracy':
        fix.accuracy ??= text
        break
    }
}
