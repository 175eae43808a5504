import { kmhOf, type RawFix } from './fix.ts'

/** Points of a GPX 1.0 or 1.1 file: of its tracks, else of its routes, else its waypoints. */
export function readGpx(xml: string): RawFix[] {
  const text = xml.replaceAll(/<!--[\s\S]*?-->/g, '')
  for (const element of ['trkpt', 'rtept', 'wpt']) {
    const found = pointsOf(text, element)
    if (found.length > 0) return found
  }
  return []
}

function pointsOf(xml: string, element: string): RawFix[] {
  const point = new RegExp(
    `<(?:\\w+:)?${element}\\b([^>]*?)(?:/>|>([\\s\\S]*?)</(?:\\w+:)?${element}\\s*>)`,
    'g',
  )
  return [...xml.matchAll(point)].map(([, attributes = '', inner = '']) => ({
    lat: attribute(attributes, 'lat'),
    lng: attribute(attributes, 'lon'),
    time: child(inner, 'time'),
    altitude: child(inner, 'ele'),
    heading: child(inner, 'course'),
    speed: kmhOf(child(inner, 'speed')), // m/s: GPX 1.0's own element, and Garmin's extension of 1.1
    accuracy: child(inner, 'accuracy'),
  }))
}

const attribute = (attributes: string, name: string): string | undefined => {
  const [, double, single] = new RegExp(`\\b${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`).exec(attributes) ?? []
  return double ?? single
}

/** The text of a child element, with or without a namespace, also inside `extensions`. */
const child = (inner: string, name: string): string | undefined =>
  new RegExp(`<(?:\\w+:)?${name}\\b[^>]*>([^<]*)</`).exec(inner)?.[1]?.trim()
