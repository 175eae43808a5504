/** Builds the pages into dist/: hashed assets with br and gzip, HTML by page and language, manifest.json. */

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { LANGUAGES } from '@palanquin/domain/language'
import { outlines } from './outlines.ts'
import { documentOf, type PageAssets, webManifest } from './src/document.tsx'
import { PAGES } from './src/pages/pages.ts'

const HERE = fileURLToPath(new URL('.', import.meta.url))
/** `bun build.ts [folder]`: left out, `dist` beside it. */
const dist = process.argv[2] ?? join(HERE, 'dist')
const HASH_LENGTH = 12

type Entry = { file: string; path: string; type: string; bytes: number; hash: string }
const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.html': 'text/html; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
}

const entries: Entry[] = []
const typeOf = (name: string): string =>
  TYPES[name.slice(name.lastIndexOf('.'))] ?? 'application/octet-stream'
const hashOf = (bytes: Uint8Array | string): string =>
  new Bun.CryptoHasher('sha256').update(bytes).digest('hex').slice(0, HASH_LENGTH)

/** Writes a file of dist with its compressed forms; returns the path at which it is served. */
function put(file: string, path: string, bytes: Uint8Array): string {
  const target = join(dist, file)
  mkdirSync(dirname(target), { recursive: true })
  writeFileSync(target, bytes)
  writeFileSync(`${target}.gz`, gzipSync(bytes, { level: 9 }))
  writeFileSync(
    `${target}.br`,
    brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }),
  )
  entries.push({ file, path, type: typeOf(file), bytes: bytes.length, hash: hashOf(bytes) })
  return path
}

/** An asset under its hash: `outlines.json` is served as `/assets/outlines.<hash>.json`. */
function asset(name: string, bytes: Uint8Array): string {
  const dot = name.lastIndexOf('.')
  const hashed = `${name.slice(0, dot)}.${hashOf(bytes)}${name.slice(dot)}`
  return put(`assets/${hashed}`, `/assets/${hashed}`, bytes)
}

async function bundle(): Promise<Map<string, { path: string; imports: readonly string[] }>> {
  const result = await Bun.build({
    entrypoints: PAGES.map(({ name }) => join(HERE, 'src', 'pages', name, 'main.ts')),
    root: join(HERE, 'src', 'pages'),
    target: 'browser',
    splitting: true,
    minify: true,
    publicPath: '/assets/',
    naming: { entry: '[dir].[hash].[ext]', chunk: 'chunk.[hash].[ext]' },
    define: { 'process.env.NODE_ENV': '"production"' },
  })
  if (!result.success) throw new AggregateError(result.logs, 'the pages could not be bundled')
  const scripts = new Map<string, { path: string; imports: readonly string[] }>()
  for (const output of result.outputs) {
    const name = basename(output.path)
    const bytes = new Uint8Array(await output.arrayBuffer())
    const path = put(`assets/${name}`, `/assets/${name}`, bytes)
    const text = new TextDecoder().decode(bytes)
    // Static imports alone: what a page loads at once.
    const imports = [...text.matchAll(/(?:from|import)\s*"(\/assets\/chunk\.[^"]+)"/g)].flatMap(
      ([, chunk]) => chunk ?? [],
    )
    scripts.set(output.kind === 'entry-point' ? (name.split('.')[0] ?? name) : path, { path, imports })
  }
  return scripts
}

async function styleSheet(name: string, file: string): Promise<string> {
  const result = await Bun.build({ entrypoints: [join(HERE, 'src', file)], minify: true })
  const [output] = result.outputs
  if (!result.success || output === undefined)
    throw new AggregateError(result.logs, `${file} could not be built`)
  return asset(`${name}.css`, new Uint8Array(await output.arrayBuffer()))
}

/** It knows the assets of its build, and so which older ones to forget. */
async function serviceWorker(): Promise<Uint8Array> {
  const assets = entries.flatMap(({ path }) => (path.startsWith('/assets/') ? path : []))
  const result = await Bun.build({
    entrypoints: [join(HERE, 'src', 'sw.ts')],
    target: 'browser',
    format: 'iife',
    minify: true,
    define: { BUILD_ASSETS: JSON.stringify(assets) },
  })
  const [output] = result.outputs
  if (!result.success || output === undefined)
    throw new AggregateError(result.logs, 'the service worker could not be built')
  return new Uint8Array(await output.arrayBuffer())
}

const read = (file: string) => new Uint8Array(readFileSync(join(HERE, 'src', file)))

/** All chunks that a script needs at once, itself excluded. */
function preloadOf(
  scripts: Awaited<ReturnType<typeof bundle>>,
  path: string,
  seen = new Set<string>(),
): Set<string> {
  const script = [...scripts.values()].find((one) => one.path === path)
  for (const chunk of script?.imports ?? [])
    if (!seen.has(chunk)) {
      seen.add(chunk)
      preloadOf(scripts, chunk, seen)
    }
  return seen
}

/** Builds all pages into a folder, which is emptied first. */
async function buildPages(): Promise<readonly Entry[]> {
  rmSync(dist, { recursive: true, force: true })
  const scripts = await bundle()
  const worker = new Uint8Array(
    readFileSync(fileURLToPath(import.meta.resolve('maplibre-gl/dist/maplibre-gl-worker.mjs'))),
  )
  const shared = {
    mapWorker: asset('map-worker.mjs', worker),
    mapStyles: await styleSheet('map-layer', 'map/styles.css'),
    outlines: asset('outlines.json', new TextEncoder().encode(JSON.stringify(outlines()))),
    icon: asset('favicon.svg', read('assets/favicon.svg')),
  }
  const base = await styleSheet('base', 'styles/base.css')
  const icons = new TextDecoder().decode(read('assets/icons.svg')).replace(/>\s+</g, '><')
  for (const page of PAGES) {
    const script = scripts.get(page.name)
    if (script === undefined) throw new Error(`${page.name} was not bundled`)
    const own = page.styled ? [await styleSheet(page.name, `pages/${page.name}/styles.css`)] : []
    const assets: PageAssets = {
      ...shared,
      script: script.path,
      preload: [...preloadOf(scripts, script.path)],
      styles: [base, ...own],
    }
    for (const language of LANGUAGES) {
      const file = `pages/${page.name}.${language}.html`
      put(file, file, new TextEncoder().encode(documentOf(page, language, assets, icons)))
    }
  }
  for (const language of LANGUAGES) {
    const file = `manifest.${language}.webmanifest`
    put(file, file, new TextEncoder().encode(webManifest(language, shared.icon)))
  }
  put('sw.js', '/sw.js', await serviceWorker())
  writeFileSync(join(dist, 'manifest.json'), `${JSON.stringify(entries, null, 2)}\n`)
  return entries
}

const built = await buildPages()
const kilobytes = Math.round(built.reduce((sum, { bytes }) => sum + bytes, 0) / 1024)
console.log(`${built.length} files, ${kilobytes} KB`)
