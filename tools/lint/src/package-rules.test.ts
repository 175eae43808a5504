import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { PROJECT_ROOT } from '@palanquin/stack/project'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'

setDefaultTimeout(TEST_TIMEOUT_MS)

/** The project's packages without their sources, in a folder of their own. */
let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'package-rules-'))
  const manifests = [...new Bun.Glob('{apps,packages,tools}/*/{package,turbo}.json').scanSync(PROJECT_ROOT)]
  const shared = ['package.json', 'turbo.json', 'bun.lock', 'e2e/package.json', 'e2e/turbo.json']
  for (const file of [...manifests, ...shared]) cpSync(join(PROJECT_ROOT, file), join(folder, file))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** What turbo says of the packages, while one file of them is another one. */
function boundaries(change?: { file: string; text: string }): { isKept: boolean; output: string } {
  const path = change && join(folder, change.file)
  const before = path && Bun.file(path).size > 0 ? readFileSync(path) : undefined
  if (path) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, change.text)
  }
  const turbo = join(PROJECT_ROOT, 'node_modules/.bin/turbo')
  const { exitCode, stdout, stderr } = Bun.spawnSync([process.execPath, '--bun', turbo, 'boundaries'], {
    cwd: folder,
    env: { ...process.env, TURBO_TELEMETRY_DISABLED: '1' },
  })
  if (path && before) writeFileSync(path, before)
  else if (path) rmSync(path)
  return { isKept: exitCode === 0, output: stdout.toString() + stderr.toString() }
}

/** The manifest of a package that depends on another one as well. */
function depending(owner: string, name: string) {
  const file = `${owner}/package.json`
  const manifest = JSON.parse(readFileSync(join(PROJECT_ROOT, file), 'utf8'))
  const dependencies = { ...manifest.dependencies, [name]: 'workspace:*' }
  return { file, text: JSON.stringify({ ...manifest, dependencies }) }
}

test('the packages keep the boundaries of turbo.json', () => {
  expect(boundaries()).toMatchObject({ isKept: true })
})

test.each([
  ['an app that knows another app', 'apps/media', '@palanquin/tracking'],
  ['a gateway that knows the database', 'apps/gateway', '@palanquin/db'],
  ['a gateway that knows the bus', 'apps/gateway', '@palanquin/events'],
  ['a domain that knows another package', 'packages/domain', '@palanquin/service'],
  ['a service package that knows the database', 'packages/service', '@palanquin/db'],
  ['a database package that knows the bus', 'packages/db', '@palanquin/events'],
  ['a package that knows an app', 'packages/events', '@palanquin/media'],
  ['a tool that knows an app', 'tools/demo', '@palanquin/media'],
  ['a harness that knows a tool', 'packages/testing', '@palanquin/demo'],
])('turbo reports %s', (_, owner, name) => {
  const { isKept, output } = boundaries(depending(owner, name))
  expect(isKept).toBe(false)
  expect(output).toContain(name)
})

test.each([
  ['a relative path into another package', `export { x } from '../../../packages/db/src/pool.ts'`],
  ['a package that is not declared', `export { x } from '@palanquin/stack/project'`],
])('turbo reports an import of %s', (_, text) => {
  expect(boundaries({ file: 'apps/media/src/breach.ts', text }).isKept).toBe(false)
})
