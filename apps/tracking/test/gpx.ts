import { SaxesParser } from 'saxes'

/**
 * The rules of the GPX 1.1 schema (topografix.com/GPX/1/1) for the elements that we write: their children in order, how
 * often each, their attributes and values. Anything else is a fault.
 */
type Rule = {
  attributes?: Record<string, { required: boolean; value: RegExp }>
  /** In order; `*` any number, `?` at most one. */
  children?: readonly [name: string, times: '*' | '?'][]
  /** What the text must be; without it, white space alone. */
  text?: RegExp
}

const DECIMAL = /^-?\d+(\.\d+)?$/
/** Of our own elements: xsd:double. */
const NUMBER = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/
const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/
const STRING = /^[\s\S]*$/
const WAYPOINT: Rule = {
  attributes: { lat: { required: true, value: DECIMAL }, lon: { required: true, value: DECIMAL } },
  children: [
    ...['ele', 'time', 'magvar', 'geoidheight', 'name', 'cmt', 'desc', 'src'].map((name): [string, '?'] => [
      name,
      '?',
    ]),
    ['link', '*'],
    ...['sym', 'type', 'fix', 'sat', 'hdop', 'vdop', 'pdop', 'extensions'].map((name): [string, '?'] => [
      name,
      '?',
    ]),
  ],
}

const RULES: Record<string, Rule> = {
  gpx: {
    attributes: {
      version: { required: true, value: /^1\.1$/ },
      creator: { required: true, value: /^.+$/ },
      xmlns: { required: true, value: /^http:\/\/www\.topografix\.com\/GPX\/1\/1$/ },
      'xmlns:palanquin': { required: false, value: /^urn:palanquin:track:1$/ },
      'xmlns:xsi': { required: false, value: /^http:\/\/www\.w3\.org\/2001\/XMLSchema-instance$/ },
      'xsi:schemaLocation': { required: false, value: /^\S+ \S+$/ },
    },
    children: [
      ['metadata', '?'],
      ['wpt', '*'],
      ['rte', '*'],
      ['trk', '*'],
      ['extensions', '?'],
    ],
  },
  metadata: {
    children: [
      ['name', '?'],
      ['desc', '?'],
      ['author', '?'],
      ['copyright', '?'],
      ['link', '*'],
      ['time', '?'],
      ['keywords', '?'],
      ['bounds', '?'],
      ['extensions', '?'],
    ],
  },
  trk: {
    children: [
      ['name', '?'],
      ['cmt', '?'],
      ['desc', '?'],
      ['src', '?'],
      ['link', '*'],
      ['number', '?'],
      ['type', '?'],
      ['extensions', '?'],
      ['trkseg', '*'],
    ],
  },
  trkseg: {
    children: [
      ['trkpt', '*'],
      ['extensions', '?'],
    ],
  },
  trkpt: WAYPOINT,
  ele: { text: DECIMAL },
  time: { text: DATE_TIME },
  name: { text: STRING },
  desc: { text: STRING },
  src: { text: STRING },
  extensions: {
    children: ['recordedAt', 'accuracy', 'speed', 'source', 'kind'].map((name): [string, '?'] => [
      `palanquin:${name}`,
      '?',
    ]),
  },
  'palanquin:recordedAt': { text: DATE_TIME },
  'palanquin:accuracy': { text: NUMBER },
  'palanquin:speed': { text: NUMBER },
  'palanquin:source': { text: STRING },
  'palanquin:kind': { text: /^(checkin|track)$/ },
}

type Element = { name: string; attributes: Record<string, string>; children: Element[]; text: string }

/** Parses a document of elements, attributes and text. @throws where it is not well-formed XML with namespaces */
export function parseXml(document: string): Element {
  const root: Element = { name: '', attributes: {}, children: [], text: '' }
  const open: Element[] = [root]
  const parser = new SaxesParser({ xmlns: true })
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', ({ name, attributes }) => {
    const values = Object.entries(attributes).map(([key, { value }]) => [key, value])
    const element = { name, attributes: Object.fromEntries(values), children: [], text: '' }
    open.at(-1)?.children.push(element)
    open.push(element)
  })
  parser.on('text', (text) => {
    const element = open.at(-1)
    if (element) element.text += text
  })
  parser.on('closetag', () => void open.pop())
  parser.write(document).close()
  const [gpx] = root.children
  if (!gpx || !document.startsWith('<?xml')) throw new Error('no XML declaration, or no element')
  return gpx
}

/** What violates the schema, as sentences; none for a valid document. */
export function gpxFaults(element: Element, path = element.name): string[] {
  const rule = RULES[element.name]
  if (!rule) return [`${path}: not an element that we may write`]
  const faults: string[] = []
  for (const [name, { required, value }] of Object.entries(rule.attributes ?? {})) {
    const given = element.attributes[name]
    if (given === undefined ? required : !value.test(given)) faults.push(`${path}: ${name}="${given}"`)
  }
  for (const name of Object.keys(element.attributes))
    if (!rule.attributes?.[name]) faults.push(`${path}: unknown attribute ${name}`)
  if (!(rule.text ?? /^\s*$/).test(element.text)) faults.push(`${path}: text ${JSON.stringify(element.text)}`)
  if (element.name === 'trkpt') {
    const [lat, lon] = [Number(element.attributes.lat), Number(element.attributes.lon)]
    if (lat < -90 || lat > 90 || lon < -180 || lon >= 180) faults.push(`${path}: ${lat}, ${lon} is no place`)
  }
  return [
    ...faults,
    ...orderFaults(element, rule, path),
    ...element.children.flatMap((child) => gpxFaults(child, `${path}/${child.name}`)),
  ]
}

function orderFaults({ children }: Element, rule: Rule, path: string): string[] {
  let at = 0
  for (const [name, times] of rule.children ?? []) {
    let found = 0
    while (children[at]?.name === name) {
      at++
      found++
    }
    if (times === '?' && found > 1) return [`${path}: ${found} × ${name}`]
  }
  const left = children[at]
  return left ? [`${path}: ${left.name} is out of order or unknown`] : []
}
