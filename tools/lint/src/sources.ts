import { readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { PROJECT_ROOT } from '@palanquin/stack/project'

export type Source = {
  /** From the project's folder. */
  file: string
  text: string
  /** A test, or what only tests use. */
  isTest: boolean
  /** What it imports, types included. */
  imports: string[]
}

export type Package = {
  /** `domain`, `gateway`: the folder's name. */
  name: string
  /** From the project's folder: `packages/domain`. */
  folder: string
  isApp: boolean
  dependencies: ReadonlySet<string>
  devDependencies: ReadonlySet<string>
  sources: Source[]
}

type Manifest = {
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  devDependencies?: Record<string, string>
}

const MANIFESTS = ['{apps,packages,tools}/*/package.json', 'e2e/package.json']

/** Every package and app of the house with its sources. */
export function readPackages(): Package[] {
  const manifests = MANIFESTS.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync({ cwd: PROJECT_ROOT })])
  return manifests.sort().map((path) => {
    const folder = path.slice(0, -'/package.json'.length)
    const manifest: Manifest = JSON.parse(readFileSync(join(PROJECT_ROOT, path), 'utf8'))
    return {
      name: basename(folder),
      folder,
      isApp: folder.startsWith('apps/'),
      dependencies: new Set(Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies })),
      devDependencies: new Set(Object.keys(manifest.devDependencies ?? {})),
      sources: readSources(folder),
    }
  })
}

function readSources(folder: string): Source[] {
  const files = [...new Bun.Glob('**/*.{ts,tsx}').scanSync({ cwd: join(PROJECT_ROOT, folder) })]
  const sources = files
    .filter((file) => !file.split('/').includes('node_modules'))
    .sort()
    .map((file) => {
      const text = readFileSync(join(PROJECT_ROOT, folder, file), 'utf8')
      return { file: join(folder, file), text, isTest: isTest(file), imports: importsOf(text) }
    })
  markSupport(sources)
  return sources
}

/** Tests by their names, and what stands with them in a folder `test`. */
const isTest = (file: string): boolean => /\.test\.tsx?$/.test(file) || file.split('/').includes('test')

/** A source that tests import, and nobody else, is there for them. */
export function markSupport(sources: Source[]): void {
  const importers = new Map<string, Source[]>()
  for (const source of sources)
    for (const name of source.imports.filter((name) => name.startsWith('.'))) {
      const target = join(dirname(source.file), name)
      importers.set(target, [...(importers.get(target) ?? []), source])
    }
  const support = () =>
    sources.find(({ file, isTest }) => !isTest && importers.get(file)?.every((importer) => importer.isTest))
  for (let found = support(); found; found = support()) found.isTest = true
}

/** The module names of static and dynamic imports and of re-exports, types included. */
function importsOf(text: string): string[] {
  const found = text.matchAll(
    /^(?:import|export|\}).*? from '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm,
  )
  return [...found].flatMap(([, from, bare, dynamic]) => from ?? bare ?? dynamic ?? [])
}
