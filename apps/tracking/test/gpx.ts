/**
 * The rules of the GPX 1.1 schema (topografix.com/GPX/1/1) for the elements that we write: which element holds which, in
 * which order, how often, with which attributes and values. Strict: what is not listed is a fault.
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

const ENTITY: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
const unescaped = (text: string): string => {
  if (/&(?!(amp|lt|gt|quot|apos);)/.test(text)) throw new Error(`an ampersand that is no entity: ${text}`)
  return text.replace(/&(\w+);/g, (_, name: string) => ENTITY[name] ?? '')
}

/** Reads a document of elements, attributes and text; throws where it is not well-formed. */
export function parseXml(document: string): Element {
  const declaration = /^<\?xml version="1\.0" encoding="UTF-8"\?>\s*/.exec(document)
  if (!declaration) throw new Error('no XML declaration')
  const root: Element = { name: '', attributes: {}, children: [], text: '' }
  const open: Element[] = [root]
  const token = /<\/([\w:]+)>|<([\w:]+)((?:\s+[\w:]+="[^"<]*")*)\s*(\/?)>|([^<]+)/gy
  token.lastIndex = declaration[0].length
  while (token.lastIndex < document.length) {
    const at = token.lastIndex
    const [, closed, opened, attributes = '', empty, text] = token.exec(document) ?? []
    const parent = open.at(-1)
    if (!parent) throw new Error('something behind the root')
    if (closed !== undefined) {
      if (parent.name !== closed) throw new Error(`</${closed}> closes <${parent.name}>`)
      open.pop()
    } else if (opened !== undefined) {
      const element = { name: opened, attributes: attributesOf(attributes), children: [], text: '' }
      parent.children.push(element)
      if (empty === '') open.push(element)
    } else if (text !== undefined) parent.text += unescaped(text)
    else throw new Error(`not well-formed at ${JSON.stringify(document.slice(at, at + 60))}`)
  }
  const [gpx] = root.children
  if (open.length !== 1 || root.children.length !== 1 || !gpx) throw new Error('not one whole root element')
  return gpx
}

const attributesOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/([\w:]+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, unescaped(value)]),
  )

/** What is against the schema, as sentences; none for a valid document. */
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
