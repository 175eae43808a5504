import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'

export const SCRIPT = `console.log(${JSON.stringify('a lantern on the road '.repeat(200))})\n`
export const SCRIPT_PATH = '/assets/map.0123abcdef.js'
export const WORKER_PATH = '/assets/map-worker.0123abcdef.mjs'
const ICON = '<svg xmlns="http://www.w3.org/2000/svg"/>'
const PAGE_NAMES = [
  'home',
  'map',
  'survey',
  'feedback',
  'privacy',
  'me',
  'lost',
  'found',
  'card',
  'share',
  'share-ended',
  'setup',
  'not-found',
]

const documentOf = (name: string, language: string): string =>
  `<!doctype html><html lang="${language}"><head><title>${name} · %EVENT_NAME%</title>` +
  `<meta property="og:image" content="%BASE_URL%/assets/icon.svg"><meta name="api-base" content="%API_BASE%"><meta name="base-map" content="%BASE_MAP%">` +
  `</head><body>og:title %CARD_TITLE% og:image %CARD_URL%.png %CARD_DESCRIPTION% ${name} in ${language}${' '.repeat(1_200)}</body></html>`

/** The manifest's entry of a file, and its content. */
const FILES = [
  {
    file: 'assets/map.0123abcdef.js',
    path: SCRIPT_PATH,
    type: 'text/javascript; charset=utf-8',
    text: SCRIPT,
  },
  {
    file: 'assets/map-worker.0123abcdef.mjs',
    path: WORKER_PATH,
    type: 'text/javascript; charset=utf-8',
    text: SCRIPT,
  },
  { file: 'assets/icon.0123.svg', path: '/assets/icon.0123.svg', type: 'image/svg+xml', text: ICON },
  { file: 'sw.js', path: '/sw.js', type: 'text/javascript; charset=utf-8', text: SCRIPT },
  ...['zh-TW', 'en'].map((language) => {
    const file = `manifest.${language}.webmanifest`
    const text = `{"name":"%EVENT_NAME%","lang":"${language}"}`
    return { file, path: file, type: 'application/manifest+json; charset=utf-8', text }
  }),
  ...PAGE_NAMES.flatMap((name) =>
    ['zh-TW', 'en'].map((language) => {
      const file = `pages/${name}.${language}.html`
      return { file, path: file, type: 'text/html; charset=utf-8', text: documentOf(name, language) }
    }),
  ),
]

/** A small build in the form of `apps/web`'s, in a folder of its own. */
export function makeWebBuild(): { folder: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'web-build-'))
  const entries = FILES.map(({ text, ...entry }) => {
    const target = join(folder, entry.file)
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, text)
    writeFileSync(`${target}.br`, brotliCompressSync(text))
    // Another level than the gateway's: so the tests see whose bytes are served.
    writeFileSync(`${target}.gz`, gzipSync(text, { level: 1 }))
    return { ...entry, bytes: Buffer.byteLength(text), hash: '0123abcdef' }
  })
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(entries))
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}
