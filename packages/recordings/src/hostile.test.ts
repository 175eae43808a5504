import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { zipSync } from 'fflate'
import { fitFile } from '../test/fit-file.ts'
import { readRecording } from './recording.ts'
import { Unreadable } from './unreadable.ts'

/** A slow machine unpacks for long. */
const TIMEOUT_MS = 600_000
const MIB = 1_048_576
const bytes = (text: string) => new TextEncoder().encode(text)
const gpx = (points: string) => `<?xml version="1.0"?><gpx><trk><trkseg>${points}</trkseg></trk></gpx>`
const POINT = '<trkpt lat="24.3" lon="120.6"><time>2026-04-17T14:05:00Z</time></trkpt>'

/** The sentence by which a file is refused. */
function failureOf(file: Uint8Array | string, options?: Parameters<typeof readRecording>[1]): string {
  try {
    readRecording(typeof file === 'string' ? bytes(file) : file, options)
  } catch (error) {
    if (error instanceof Unreadable) return error.message
    throw error
  }
  throw new Error('it was read')
}

/** A KML of so many bytes, nearly all of them blanks. */
const blankKml = (size: number) => {
  const file = new Uint8Array(size).fill(0x20)
  file.set(bytes('<kml><Placemark></Placemark>'))
  return file
}

test(
  'a ZIP of a few kilobytes that unpacks to 256 MiB is refused, and not unpacked',
  () => {
    const bomb = zipSync({ 'doc.kml': blankKml(256 * MIB) }, { level: 9 })
    expect(bomb.length).toBeLessThan(MIB / 2)
    const before = process.memoryUsage.rss()
    expect(failureOf(bomb, { unpackedBytesMax: 2 * MIB })).toBe('Unpacked, this file is larger than 2 MiB.')
    expect(process.memoryUsage.rss() - before).toBeLessThan(64 * MIB)
    expect(failureOf(bomb)).toMatch(/no end|200 MiB/)
  },
  TIMEOUT_MS,
)

test('each failure has a stable code', () => {
  const codeOf = (file: Uint8Array | string, options?: Parameters<typeof readRecording>[1]) => {
    try {
      return readRecording(typeof file === 'string' ? bytes(file) : file, options).format
    } catch (error) {
      if (error instanceof Unreadable) return error.code
      throw error
    }
  }
  const doctype = '<!DOCTYPE gpx [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>'
  const cases: [string, Uint8Array | string][] = [
    ['unknown_format', 'a shopping list'],
    ['unknown_format', '<html></html>'],
    ['unknown_format', '{"a":1}'],
    ['unknown_format', new Uint8Array([0xff, 0xd8, 0xff, 0xe0, 0, 16, 74, 70])],
    ['zip_without_kml', zipSync({ 'a.txt': bytes('a') })],
    ['damaged', ''],
    ['damaged', '{"locations":[{'],
    ['damaged', '<gpx><trk></gpx>'],
    ['refused', `<?xml version="1.0"?>${doctype}<gpx>&b;</gpx>`],
    ['refused', '['.repeat(100_000)],
  ]
  for (const [code, file] of cases) expect([code, codeOf(file)]).toEqual([code, code])
  const large = zipSync({ 'doc.kml': blankKml(2 * MIB) })
  expect(codeOf(large, { unpackedBytesMax: MIB })).toBe('too_large')
})

test('names in an encoding that is no UTF-8 cost no point', () => {
  const named = gpx(`<name>caf\u00e9</name>${POINT}`).replace('"1.0"', '"1.0" encoding="ISO-8859-1"')
  const { fixes, format } = readRecording(new Uint8Array(Buffer.from(named, 'latin1')))
  expect([format, fixes.length]).toEqual(['gpx', 1])
})

test('archives within an archive stay packed', () => {
  const inner = zipSync({ 'doc.kml': bytes('<kml/>') })
  expect(failureOf(zipSync({ 'inner.kmz': inner, 'a.zip': inner }))).toMatch(/no KML in it/)
})

test('what an archive says of its sizes, in front or behind, is not believed', () => {
  const archive = zipSync({ 'doc.kml': blankKml(4 * MIB) })
  const view = new DataView(archive.buffer)
  view.setUint32(22, 10, true) // uncompressed size in the local header
  const central = Buffer.from(archive).indexOf(Buffer.from('PK\u0001\u0002'))
  view.setUint32(central + 24, 10, true)
  expect(failureOf(archive, { unpackedBytesMax: MIB })).toMatch(/larger than 1 MiB/)
  const broken = zipSync({ 'doc.kml': bytes('<kml><Placemark/></kml>') })
  expect(failureOf(broken.subarray(0, 50))).toMatch(/no KML|ends before|unpacked/)
})

test('entities are neither declared nor expanded nor fetched', () => {
  const laughs = Array.from({ length: 9 }, (_, at) => `<!ENTITY l${at + 1} "${`&l${at};`.repeat(10)}">`)
  const bomb = `<?xml version="1.0"?><!DOCTYPE gpx [<!ENTITY l0 "lol">${laughs.join('')}]>${gpx('').slice(21)}&l9;`
  expect(failureOf(bomb)).toMatch(/document type/)
  expect(failureOf(`<!DOCTYPE gpx [<!ENTITY x SYSTEM "file:///etc/passwd">]><gpx>&x;</gpx>`)).toMatch(
    /document type/,
  )
  expect(failureOf(`<!DOCTYPE gpx SYSTEM "http://127.0.0.1/x.dtd"><gpx></gpx>`)).toMatch(/document type/)
  expect(failureOf(gpx(`${POINT}<name>&x;</name>`))).toMatch(/cannot be read/)
})

test('XML that nests, or goes on, without end is refused', () => {
  expect(failureOf(`<gpx>${'<a>'.repeat(100_000)}`)).toMatch(/nested more than 100 deep/)
  expect(failureOf(`<gpx><name>${'a'.repeat(5 * MIB)}`)).toMatch(/no end/)
  expect(failureOf(`<gpx ${'a'.repeat(5 * MIB)}`)).toMatch(/no end/)
  expect(failureOf(`<gpx><!--${'a'.repeat(5 * MIB)}`)).toMatch(/no end/)
})

test('JSON that nests, or never ends, is refused', () => {
  expect(failureOf('['.repeat(5 * MIB))).toMatch(/nested more than 64 deep/)
  expect(failureOf('{"locations":'.repeat(100_000))).toMatch(/nested more than 64 deep/)
  expect(failureOf(`{"locations":[${'{"latitudeE7":1},'.repeat(100_000)}`)).toMatch(/ends before it should/)
  expect(failureOf(`{"locations":["${'a'.repeat(2 * MIB)}`)).toMatch(/no end/)
  expect(failureOf(`{"locations":[${'1'.repeat(2 * MIB)}`)).toMatch(/no end/)
  expect(failureOf('{"locations":[]} and more')).toMatch(/damaged/)
  expect(failureOf('[1,2,,3]')).toMatch(/damaged/)
  expect(failureOf('{"__proto__":{"locations":[]}}')).toMatch(/none that is known/)
  expect(Object.hasOwn(Object.prototype, 'locations')).toBe(false)
})

test('lines without end are refused', () => {
  expect(failureOf(`2026-04-17T14:05:00Z\t*\t{"_type":"location",${'a'.repeat(200_000)}`)).toMatch(/no end/)
  expect(failureOf(`lat,lon,time\n"${'1'.repeat(2 * MIB)}`)).toMatch(/CSV/)
})

test('a FIT file that lies of its length, or is damaged, is refused', () => {
  const point = { lat: 24.3, lng: 120.6, at: Date.UTC(2026, 3, 17) }
  expect(failureOf(fitFile([point], { dataBytes: 0xffff_ffff }))).toMatch(/FIT file is damaged/)
  expect(failureOf(fitFile([point], { dataBytes: 20 }))).toMatch(/FIT file is damaged/)
  const flipped = fitFile([point])
  flipped[60] = (flipped[60] ?? 0) ^ 1
  expect(failureOf(flipped)).toMatch(/FIT file is damaged/)
})

test(
  'more points than a walk can have are refused',
  () => {
    expect(failureOf(gpx('<wpt/>'.repeat(1_000_001)))).toMatch(/more than 1,000,000 points/)
  },
  TIMEOUT_MS,
)

test('whatever the bytes are, the file is read or refused with a sentence', () => {
  const heads = [
    '',
    '<gpx>',
    '<kml>',
    '{"locations":[',
    '[',
    '.FIT',
    'PK\u0003\u0004',
    'lat,lon,time\n',
    '2026-04-17T14:05:00Z\t*\t{',
  ]
  const file = fc.tuple(fc.constantFrom(...heads), fc.uint8Array({ maxLength: 300 }))
  fc.assert(
    fc.property(file, ([head, rest]) => {
      const content = Uint8Array.from([
        ...bytes(head === '.FIT' ? `\u000e\u0010\u0001\u0001\u0001\u0000\u0000\u0000.FIT` : head),
        ...rest,
      ])
      try {
        readRecording(content)
      } catch (error) {
        expect(error).toBeInstanceOf(Unreadable)
        expect(String(error)).toMatch(/[.)]$/)
      }
    }),
    { seed: 20_260_417, numRuns: 500 },
  )
})

test('a file that is cut anywhere is read up to there, or refused', () => {
  const whole = gpx(POINT.repeat(5))
  fc.assert(
    fc.property(fc.integer({ min: 1, max: whole.length - 1 }), (length) => {
      try {
        const { fixes, incomplete } = readRecording(bytes(whole.slice(0, length)))
        expect(incomplete).toBe(true)
        expect(fixes.length).toBeGreaterThan(0)
      } catch (error) {
        expect(error).toBeInstanceOf(Unreadable)
      }
    }),
    { seed: 20_260_417, numRuns: 100 },
  )
})
