import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { escaped, type KeepsakeFile, keepsakeDocument } from './document.ts'
import { sheetOf } from './drawing.ts'

const RUNS = { seed: 20_260_412, numRuns: 200 }
const drawn = {
  days: [
    {
      index: 0,
      lines: [[[120.7, 24.5] as [number, number], [120.6, 24.3] as [number, number]]],
      start: [120.7, 24.5] as [number, number],
    },
  ],
  gaps: [],
  nights: [],
}
const PICTURE = 'data:image/jpeg;base64,/9j/4AAQ'
const fileWith = (text: string, src = PICTURE): KeepsakeFile => ({
  lang: 'zh-TW',
  title: text,
  eventName: text,
  summary: text,
  figures: [{ name: text, value: text }],
  days: [
    {
      index: 0,
      title: text,
      facts: [text],
      way: text,
      night: text,
      photos: [{ id: 'a', createdAt: '2026-04-13T00:00:00Z', point: null }],
    },
  ],
  photos: new Map([['a', { src, caption: text, place: [120.65, 24.4] }]]),
  drawn,
  sheet: sheetOf(drawn, { type: 'FeatureCollection', features: [] }, 400),
  card: { src, alt: text },
  words: { map: text, legend: text, days: text, made: text, credit: text },
})
const tagsOf = (html: string) => html.match(/<\/?[a-z][^\s/>]*/g) ?? []
const plain = keepsakeDocument(fileWith('a'))

test('no text becomes markup, whatever people and organisers have written', () => {
  const hostile = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      '</title><script>x</script>',
      '"><img src=x onerror=y>',
      "' onload='x",
      '<!--',
      ']]>',
      '&lt;',
      '</svg>',
    ),
  )
  fc.assert(
    fc.property(hostile, (text) => {
      const html = keepsakeDocument(fileWith(text))
      expect(tagsOf(html)).toEqual(tagsOf(plain))
      expect(escaped(text)).not.toMatch(/[<>"'`]/)
    }),
    RUNS,
  )
})

test('a picture that is no JPEG within the file is left out', () => {
  for (const src of [
    'https://example.org/a.jpg',
    '/api/event/photos/a',
    'data:image/svg+xml,<svg/>',
    `${PICTURE}" onload="x`,
    '',
  ])
    expect(keepsakeDocument(fileWith('a', src))).not.toContain('<img')
})

test('it may load and run nothing: the policy says so, and there is no script or address', () => {
  expect(plain).toContain("default-src 'none'; img-src data:")
  expect(plain).not.toMatch(/<script|<link|<iframe|<a |\bon\w+=|url\(|https?:\/\/(?!www\.w3\.org\/2000\/svg)/)
})

test('every part of the drawing has a colour for the dark scheme too', () => {
  const classes = new Set(
    [...plain.matchAll(/<(?:path|circle|text|rect) [^>]*?class="([\w-]+)"/g)].map(([, name]) => name),
  )
  expect([...classes]).toEqual(
    expect.arrayContaining(['sea', 'land', 'gaps', 'dot', 'way-0', 'mark-0', 'number']),
  )
  const dark = plain.slice(plain.lastIndexOf('@media(prefers-color-scheme:dark)'))
  for (const name of classes) expect(dark).toContain(`.${name}{`)
})
